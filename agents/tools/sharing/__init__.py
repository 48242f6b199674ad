"""The tools by which agents share context, messages and memories."""
