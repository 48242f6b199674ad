"""What agents share: context under keys, messages, and memories."""
