"""Campaigns: random scenarios, asked of Tenure and of a peer that speaks its JSON lines, and compared.

python -m tests.peers.campaign --peer <command> --n 20000 --seed 1
"""
