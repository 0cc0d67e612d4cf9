"""What resolvers and samplers share."""
