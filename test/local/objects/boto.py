"""The object store through boto3, path-style as it is for an address; prints what it saw."""
import json
import sys

import boto3
from botocore.exceptions import ClientError

endpoint, bucket = sys.argv[1], sys.argv[2]
s3 = boto3.client("s3", endpoint_url=endpoint)
s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
s3.put_object(Bucket=bucket, Key="x/1.ndjson", Body=b"one\n")
s3.put_object(Bucket=bucket, Key="x/2 +\u00e9.ndjson", Body=b"two\n", ContentType="text/plain")
got = s3.get_object(Bucket=bucket, Key="x/2 +\u00e9.ndjson")
pages = s3.get_paginator("list_objects_v2").paginate(
    Bucket=bucket, Prefix="x/", PaginationConfig={"PageSize": 1}
)
keys = [one["Key"] for page in pages for one in page.get("Contents", [])]
groups = s3.list_objects_v2(Bucket=bucket, Delimiter="/")["CommonPrefixes"]
try:
    s3.get_object(Bucket=bucket, Key="absent")
    missing = ""
except ClientError as error:
    missing = error.response["Error"]["Code"]
size = s3.head_object(Bucket=bucket, Key=keys[1])["ContentLength"]
deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys]})
print(
    json.dumps(
        {
            "body": got["Body"].read().decode(),
            "size": size,
            "keys": keys,
            "groups": [one["Prefix"] for one in groups],
            "missing": missing,
            "deleted": len(deleted["Deleted"]),
            "left": s3.list_objects_v2(Bucket=bucket)["KeyCount"],
        }
    )
)
