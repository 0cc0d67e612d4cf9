"""The methods the published model is compared with: four of the paper, and two rules of one line."""
