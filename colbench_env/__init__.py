"""Text Dec-POMDP environments in which language-model agents collaborate."""
