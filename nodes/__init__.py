"""Stages of the methods' graphs, a package a method, one file a stage; what methods share stands here."""
