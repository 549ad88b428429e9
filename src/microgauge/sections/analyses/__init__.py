"""Analyses that the schema names: do they still hold?"""
