"""What is said to models and people, and what they answer: prompts, errors, replies, and an agent's answer."""
