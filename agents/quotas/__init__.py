"""How much agents may do before a person is asked: the quotas, and what counts against them."""
