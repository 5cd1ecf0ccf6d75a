"""Questions to ranked query plans, from a graph's schema alone: `Reader.read` (`trivium.policies.reader.reader`)."""
