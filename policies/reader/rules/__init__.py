"""The rules of the chart, a file a subject: which readings two neighbors make together."""
