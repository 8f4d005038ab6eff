"""Where a subscription's events go: an https endpoint, an SQS queue or an S3 bucket (docs/contract/contract.md 4.8f).

`destination.Destination` is the interface; `https`, `sqs` and `s3` implement it, and `opening` chooses. Does not belong
here: sockets (`api.webhooks.egress`), or when an attempt is made and what its result means (`api.webhooks.delivery`).
"""
