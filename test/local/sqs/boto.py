# Every SQS operation through boto3; prints what came back as one JSON document.
import json
import sys

import boto3

endpoint, prefix = sys.argv[1:3]
sqs = boto3.client("sqs", endpoint_url=endpoint)
out = {}


def refusal(call, **kwargs):
    try:
        call(**kwargs)
    except sqs.exceptions.ClientError as error:
        answer = error.response
        return [answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"], type(error).__name__]
    return None


dead = sqs.create_queue(QueueName=prefix + "-dead")["QueueUrl"]
dead_arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
policy = json.dumps({"deadLetterTargetArn": dead_arn, "maxReceiveCount": 1})
url = sqs.create_queue(QueueName=prefix, Attributes={"VisibilityTimeout": "0", "RedrivePolicy": policy})["QueueUrl"]
out["same_url"] = sqs.get_queue_url(QueueName=prefix)["QueueUrl"] == url
out["listed"] = len(sqs.list_queues(QueueNamePrefix=prefix)["QueueUrls"])
out["sources"] = sqs.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [url]

text = "a<b>&\"c\" \u00e9\r\n\ttab"
attributes = {
    "depot": {"DataType": "String", "StringValue": "ghent & <co>"},
    "raw": {"DataType": "Binary", "BinaryValue": b"\x00\x01\xff"},
}
sent = sqs.send_message(QueueUrl=url, MessageBody=text, MessageAttributes=attributes)
got = sqs.receive_message(
    QueueUrl=url, AttributeNames=["All"], MessageAttributeNames=["All"], VisibilityTimeout=30, WaitTimeSeconds=1
)["Messages"][0]
out["body"] = got["Body"] == text
out["md5"] = [got["MD5OfBody"] == sent["MD5OfMessageBody"], got["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]]
out["count"] = got["Attributes"]["ApproximateReceiveCount"]
out["depot"] = got["MessageAttributes"]["depot"]["StringValue"]
out["raw"] = list(got["MessageAttributes"]["raw"]["BinaryValue"])
sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=got["ReceiptHandle"], VisibilityTimeout=0)
out["given_up"] = sqs.receive_message(QueueUrl=url).get("Messages", [])
moved = sqs.receive_message(QueueUrl=dead, AttributeNames=["All"])["Messages"][0]
out["dead"] = [moved["Body"] == text, moved["Attributes"]["DeadLetterQueueSourceArn"].split(":")[5] == prefix]
sqs.delete_message(QueueUrl=dead, ReceiptHandle=moved["ReceiptHandle"])

batch = sqs.send_message_batch(
    QueueUrl=dead,
    Entries=[{"Id": "a", "MessageBody": "1"}, {"Id": "b", "MessageBody": "2", "DelaySeconds": 901}],
)
out["sent"] = [[one["Id"] for one in batch["Successful"]], [[one["Id"], one["SenderFault"], one["Code"]] for one in batch["Failed"]]]
handle = sqs.receive_message(QueueUrl=dead)["Messages"][0]["ReceiptHandle"]
changed = sqs.change_message_visibility_batch(
    QueueUrl=dead, Entries=[{"Id": "a", "ReceiptHandle": handle, "VisibilityTimeout": 30}]
)
out["changed"] = [one["Id"] for one in changed["Successful"]]
gone = sqs.delete_message_batch(QueueUrl=dead, Entries=[{"Id": "x", "ReceiptHandle": handle}])
out["deleted"] = [one["Id"] for one in gone["Successful"]]
sqs.set_queue_attributes(QueueUrl=dead, Attributes={"VisibilityTimeout": "7"})
out["visibility"] = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["All"])["Attributes"]["VisibilityTimeout"]
sqs.purge_queue(QueueUrl=dead)
out["purge"] = refusal(sqs.purge_queue, QueueUrl=dead)
out["too_many"] = refusal(sqs.receive_message, QueueUrl=url, MaxNumberOfMessages=11)
sqs.delete_queue(QueueUrl=url)
out["missing"] = refusal(sqs.send_message, QueueUrl=url, MessageBody="x")
print(json.dumps(out))
