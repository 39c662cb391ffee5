/** `examples/twins/s3.md`, driven by AWS's own SDK, whose requests are signed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { serveTwin, type Twin } from "./serve-twin.ts";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

describe("AWS's published SDK can't distinguish the twin from the service:", () => {
  const Bucket = "photos";
  let twin: Twin;
  let client: S3Client;
  const clientOf = (accessKeyId: string, secret: string) =>
    new S3Client({
      endpoint: twin.origin,
      region: "us-east-1",
      forcePathStyle: true,
      maxAttempts: 1,
      // The SDK compares its own clock with the service's, whose time the test sets.
      systemClockOffset: twin.clock.now() - Date.now(),
      credentials: { accessKeyId, secretAccessKey: secret },
    });
  const put = (Key: string, Body: string | Uint8Array, ContentType?: string) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body, ...(ContentType ? { ContentType } : {}) }));
  const get = async (Key: string, Range?: string) => {
    const found = await client.send(new GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }));
    return { ...found, bytes: Buffer.from((await found.Body?.transformToByteArray()) ?? []) };
  };
  const keys = async (options: { Prefix?: string; Delimiter?: string } = {}) => {
    const { Contents = [], CommonPrefixes = [] } = await client.send(
      new ListObjectsV2Command({ Bucket, ...options }),
    );
    return [...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)];
  };
  const refused = (name: string, status: number) => (error: unknown) => {
    assert.ok(error instanceof S3ServiceException);
    assert.deepEqual([error.name, error.$metadata.httpStatusCode], [name, status]);
    return true;
  };

  before(async () => {
    twin = await serveTwin("s3", [
      `Key with access_key = "AKIAIOSFODNN7EXAMPLE", secret = "${secretAccessKey}"`,
    ]);
    client = clientOf("AKIAIOSFODNN7EXAMPLE", secretAccessKey);
    await client.send(new CreateBucketCommand({ Bucket }));
  });
  after(async () => {
    client.destroy();
    await twin.close();
  });

  test("buckets are created, found, listed and deleted when they are empty", async () => {
    await client.send(new CreateBucketCommand({ Bucket: "second" }));
    await client.send(new HeadBucketCommand({ Bucket: "second" }));
    const { Buckets = [] } = await client.send(new ListBucketsCommand());
    assert.deepEqual(
      Buckets.map(({ Name }) => Name),
      ["photos", "second"],
    );
    await client.send(new DeleteBucketCommand({ Bucket: "second" }));
    await assert.rejects(client.send(new HeadBucketCommand({ Bucket: "second" })), refused("NotFound", 404));
    await put("kept", "x");
    await assert.rejects(client.send(new DeleteBucketCommand({ Bucket })), refused("BucketNotEmpty", 409));
    await client.send(new DeleteObjectCommand({ Bucket, Key: "kept" }));
  });

  test("bytes of any type come back unchanged, under any key", async () => {
    const bytes = Buffer.from([0, 255, 1, 254, 13, 10]);
    const Key = "2026/höliday (1)/a+b & c.png";
    const { ETag } = await put(Key, bytes, "image/png");
    const found = await get(Key);
    assert.deepEqual([found.bytes, found.ContentType, found.ETag], [bytes, "image/png", ETag]);
    await put("broken.json", '{"not": JSON', "application/json");
    assert.equal((await get("broken.json")).bytes.toString(), '{"not": JSON');
    const { ContentLength, LastModified } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    assert.deepEqual([ContentLength, LastModified], [6, new Date(twin.clock.now())]);
    await put(Key, "shorter", "text/plain");
    assert.equal((await get(Key)).bytes.toString(), "shorter");
    await assert.rejects(get("2026"), refused("NoSuchKey", 404));
  });

  test("a content encoding is stored with the bytes", async () => {
    const packed = new PutObjectCommand({ Bucket, Key: "packed", Body: "as it is", ContentEncoding: "gzip" });
    await client.send(packed);
    const found = await get("packed");
    assert.deepEqual([found.ContentEncoding, found.bytes.toString()], ["gzip", "as it is"]);
  });

  test("a range of an object is read", async () => {
    await put("digits", "0123456789");
    const middle = await get("digits", "bytes=2-4");
    assert.deepEqual([middle.bytes.toString(), middle.ContentRange], ["234", "bytes 2-4/10"]);
    assert.equal((await get("digits", "bytes=-3")).bytes.toString(), "789");
    await assert.rejects(get("digits", "bytes=10-"), refused("InvalidRange", 416));
  });

  test("lists have a prefix, a delimiter and pages", async () => {
    for (const key of ["list/a/1", "list/a/2", "list/b/1", "list/c"]) await put(key, key);
    assert.deepEqual(await keys({ Prefix: "list/a/" }), ["list/a/1", "list/a/2"]);
    assert.deepEqual(await keys({ Prefix: "list/", Delimiter: "/" }), ["list/c", "list/a/", "list/b/"]);
    const page = (token?: string) =>
      client.send(
        new ListObjectsV2Command({ Bucket, Prefix: "list/", MaxKeys: 3, ContinuationToken: token }),
      );
    const first = await page();
    assert.deepEqual([first.IsTruncated, first.KeyCount], [true, 3]);
    const second = await page(first.NextContinuationToken);
    assert.deepEqual(
      second.Contents?.map(({ Key }) => Key),
      ["list/c"],
    );
  });

  test("objects are deleted individually and together", async () => {
    for (const key of ["gone/1", "gone/2", "gone/<3>"]) await put(key, "x");
    await client.send(new DeleteObjectCommand({ Bucket, Key: "gone/1" }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: "gone/1" }));
    const Objects = [{ Key: "gone/2" }, { Key: "gone/<3>" }];
    const { Deleted = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    assert.deepEqual(Deleted, Objects);
    assert.deepEqual(await keys({ Prefix: "gone/" }), []);
  });

  test("an upload in parts becomes one object", async () => {
    const Key = "big/file";
    const begin = async () =>
      (await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType: "text/plain" })))
        .UploadId;
    const part = async (UploadId: string | undefined, PartNumber: number, Body: string) => {
      const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
      return { ETag, PartNumber };
    };
    const UploadId = await begin();
    await part(UploadId, 2, "lost");
    const Parts = [await part(UploadId, 1, "Hello, "), await part(UploadId, 2, "World")];
    const done = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    assert.match((await client.send(done)).ETag ?? "", /^"[0-9a-f]{32}-2"$/);
    const found = await get(Key);
    assert.deepEqual([found.bytes.toString(), found.ContentType], ["Hello, World", "text/plain"]);
    await assert.rejects(client.send(done), refused("NoSuchUpload", 404));
    const aborted = await begin();
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: aborted }));
    await assert.rejects(part(aborted, 1, "x"), refused("NoSuchUpload", 404));
  });

  test("a wrong secret and an unknown key are rejected", async () => {
    const list = (accessKeyId: string, secret: string) =>
      clientOf(accessKeyId, secret).send(new ListBucketsCommand());
    await assert.rejects(list("AKIAIOSFODNN7EXAMPLE", "wrong"), refused("SignatureDoesNotMatch", 403));
    await assert.rejects(list("AKIAIOSFODNN7OTHERS1", secretAccessKey), refused("InvalidAccessKeyId", 403));
  });
});
