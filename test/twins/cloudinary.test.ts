/** `examples/twins/cloudinary.md`, driven by Cloudinary's own library. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, mock, test } from "node:test";
import type { UploadApiOptions, UploadApiResponse, v2 } from "cloudinary";
import { serveTwin, startedAt, type Twin } from "./serve-twin.ts";

/** A PNG and a GIF of a few pixels, instead of larger pictures. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAEElEQVR42mP8z8BQz4AKBAAKPgMBcWyZ1wAAAABJRU5ErkJggg==",
  "base64",
);
const gif = Buffer.from("R0lGODlhBQAHAIAAAP///wAAACH5BAAAAAAALAAAAAAFAAcAAAIFhI+puVgAOw==", "base64");

describe("the published Cloudinary library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let cloudinary: typeof v2;
  const folder = mkdtempSync(join(tmpdir(), "cloudinary-"));
  const file = (name: string, content: Buffer | string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const isRefused = (http_code: number, message: RegExp) => (raised: unknown) => {
    const error = (raised as { error?: object }).error ?? raised;
    assert.equal((error as { http_code: number }).http_code, http_code);
    assert.match((error as { message: string }).message, message);
    return true;
  };

  before(async () => {
    // A signature includes the time, and is valid for an hour.
    mock.timers.enable({ apis: ["Date"], now: startedAt });
    twin = await serveTwin("cloudinary", [
      'Cloud with cloud_name = "demo", api_key = "1234", api_secret = "abcd"',
      'Cloud with cloud_name = "other", api_key = "5678", api_secret = "efgh"',
    ]);
    // The library picks `http` or `https` when it is loaded.
    process.env["CLOUDINARY_URL"] = `cloudinary://1234:abcd@demo?upload_prefix=${twin.origin}`;
    cloudinary = (await import("cloudinary")).v2;
  });
  after(async () => {
    delete process.env["CLOUDINARY_URL"];
    rmSync(folder, { recursive: true });
    mock.timers.reset();
    await twin.close();
  });

  test("a file is uploaded, described, and returned unchanged", async () => {
    const made = await cloudinary.uploader.upload(file("holiday photo.png", png), {
      public_id: "beach",
      folder: "trips",
      tags: ["sea", "sun"],
      context: { alt: "A beach & a = sign", caption: "Grüße" },
    });
    assert.equal(made.public_id, "trips/beach");
    assert.equal(made.version, Math.floor(startedAt.getTime() / 1000));
    assert.deepEqual([made.width, made.height, made.format, made.bytes], [3, 2, "png", png.length]);
    assert.deepEqual(
      [made.resource_type, made.type, made.original_filename],
      ["image", "upload", "holiday photo"],
    );
    assert.deepEqual(made.tags, ["sea", "sun"]);
    assert.deepEqual(made["context"], { custom: { alt: "A beach & a = sign", caption: "Grüße" } });
    assert.equal(made.created_at, "2026-11-20T12:00:00Z");
    assert.match(made.etag, /^[0-9a-f]{32}$/);
    const { verify_api_response_signature: verify } = cloudinary.utils as unknown as Record<
      string,
      (...of: unknown[]) => boolean
    >;
    assert.ok(verify?.(made.public_id, made.version, made.signature));
    const given = await fetch(made.secure_url);
    assert.equal(given.headers.get("content-type"), "image/png");
    assert.deepEqual(Buffer.from(await given.arrayBuffer()), png);
    const read = await cloudinary.api.resource("trips/beach");
    assert.equal(read.asset_id, made["asset_id"]);
  });

  test("a file is uploaded from memory, as a data URI, and by kind", async () => {
    const streamed = await new Promise<UploadApiResponse | undefined>((done, failed) => {
      const stream = cloudinary.uploader.upload_stream({ resource_type: "auto" }, (error, result) =>
        error ? failed(error) : done(result),
      );
      stream.end(gif);
    });
    assert.deepEqual([streamed?.format, streamed?.width, streamed?.height], ["gif", 5, 7]);
    assert.match(streamed?.public_id ?? "", /^[a-z0-9]{20}$/);
    const written = await cloudinary.uploader.upload(`data:image/png;base64,${png.toString("base64")}`, {
      resource_type: "auto",
      public_id: "written",
    });
    assert.deepEqual([written.resource_type, written.format, written.bytes], ["image", "png", png.length]);
    const raw = await cloudinary.uploader.upload(file("notes.txt", "Hello"), {
      resource_type: "auto",
      use_filename: true,
    });
    assert.deepEqual([raw.resource_type, raw.bytes, raw.format], ["raw", 5, undefined]);
    assert.match(raw.public_id, /^notes_[a-z0-9]{6}$/);
    const own = await cloudinary.uploader.upload(file("plan.b.txt", "B"), {
      resource_type: "raw",
      use_filename: true,
      unique_filename: false,
    });
    assert.deepEqual([own.public_id, own.original_filename], ["plan.b", "plan.b"]);
    const large = await cloudinary.uploader.upload(
      file("large.png", Buffer.concat([png, Buffer.alloc(3e6)])),
    );
    assert.equal(large.bytes, png.length + 3e6);
  });

  test("a large file is uploaded in chunks, and assembled", async () => {
    const bytes = Buffer.concat([png, Buffer.alloc(700_001, "0123456789abcdef")]);
    const requested = twin.requested.length;
    const made = await new Promise<UploadApiResponse>((done, failed) => {
      const result = cloudinary.uploader.upload_large(
        file("film.bin", bytes),
        { resource_type: "raw", public_id: "film", chunk_size: 200_000 },
        (error, reported) => (error ? failed(error) : done(reported as UploadApiResponse)),
      );
      void Promise.resolve(result).catch(failed);
    });
    assert.equal(twin.requested.length - requested, 4);
    assert.deepEqual([made.public_id, made.bytes], ["film", bytes.length]);
    const given = await fetch(made.secure_url);
    assert.deepEqual(Buffer.from(await given.arrayBuffer()), bytes);
  });

  test("uploading again replaces the file, under a new version", async () => {
    const first = await cloudinary.uploader.upload(file("a.png", png), { public_id: "again", tags: "one" });
    assert.equal(first["overwritten"], undefined);
    twin.clock.moveBy(60_000);
    const second = await cloudinary.uploader.upload(file("a.gif", gif), { public_id: "again" });
    twin.clock.moveBy(-60_000);
    assert.equal(second["overwritten"], true);
    assert.equal(second["asset_id"], first["asset_id"]);
    assert.deepEqual([second.version - first.version, second.format], [60, "gif"]);
  });

  test("a signature by another algorithm, or over an ampersand, is accepted", async () => {
    const made = await cloudinary.uploader.upload(file("b.png", png), {
      public_id: "this&that",
      signature_algorithm: "sha256",
    } as UploadApiOptions);
    assert.equal(made.public_id, "this&that");
    assert.equal((await cloudinary.api.resource("this&that")).public_id, "this&that");
  });

  test("an asset is renamed, and no other asset loses its name", async () => {
    await cloudinary.uploader.upload(file("c.png", png), { public_id: "from" });
    await cloudinary.uploader.upload(file("c.png", png), { public_id: "kept" });
    const renamed = await cloudinary.uploader.rename("from", "folder/to");
    assert.equal(renamed.public_id, "folder/to");
    await assert.rejects(cloudinary.api.resource("from"), isRefused(404, /^Resource not found - from$/));
    await assert.rejects(
      cloudinary.uploader.rename("folder/to", "kept"),
      isRefused(400, /^to_public_id kept already exists$/),
    );
    await assert.rejects(
      cloudinary.uploader.rename("from", "x"),
      isRefused(404, /^Resource not found - from$/),
    );
    const other = await cloudinary.uploader.upload(file("c.gif", gif), { public_id: "other" });
    const over = await cloudinary.uploader.rename("other", "kept", { overwrite: true, invalidate: true });
    assert.equal(over.asset_id, other["asset_id"]);
    assert.equal((await cloudinary.api.resource("kept")).format, "gif");
  });

  test("an asset is destroyed once", async () => {
    await cloudinary.uploader.upload(file("d.png", png), { public_id: "gone" });
    assert.deepEqual(await cloudinary.uploader.destroy("gone", { invalidate: true }), { result: "ok" });
    assert.deepEqual(await cloudinary.uploader.destroy("gone"), { result: "not found" });
  });

  test("tags are added, removed, replaced and given to one asset alone", async () => {
    for (const public_id of ["t1", "t2", "t3"])
      await cloudinary.uploader.upload(file("e.png", png), { public_id, tags: ["base"] });
    const tagsOf = async (id: string) => (await cloudinary.api.resource(id)).tags;
    assert.deepEqual(await cloudinary.uploader.add_tag("red,blue", ["t1", "t2", "nowhere"]), {
      public_ids: ["t1", "t2"],
    });
    assert.deepEqual(await tagsOf("t1"), ["base", "red", "blue"]);
    await cloudinary.uploader.remove_tag("red", ["t1"]);
    assert.deepEqual(await tagsOf("t1"), ["base", "blue"]);
    await cloudinary.uploader.replace_tag("green", ["t2"]);
    assert.deepEqual(await tagsOf("t2"), ["green"]);
    // The library calls its own `option_consume` with swapped arguments, so it never sends
    // `exclusive`. This request is what it should send.
    const sent = { command: "set_exclusive", public_ids: "t2", tag: "base", timestamp: "1795176000" };
    const signature = cloudinary.utils.api_sign_request(sent, "abcd");
    const exclusive = await fetch(`${twin.origin}/v1_1/demo/image/tags`, {
      method: "POST",
      body: new URLSearchParams({ ...sent, api_key: "1234", signature }),
    });
    assert.deepEqual(await exclusive.json(), { public_ids: ["t2"] });
    assert.deepEqual(
      [await tagsOf("t1"), await tagsOf("t2"), await tagsOf("t3")],
      [["blue"], ["green", "base"], []],
    );
    await cloudinary.uploader.remove_all_tags(["t2"]);
    assert.deepEqual(await tagsOf("t2"), []);
    const reported = await cloudinary.api.resources_by_tag("blue", { tags: true });
    assert.deepEqual(
      reported.resources.map((resource: { public_id: string; tags: string[] }) => [
        resource.public_id,
        resource.tags,
      ]),
      [["t1", ["blue"]]],
    );
    assert.deepEqual((await cloudinary.api.tags({ prefix: "bl" })).tags, ["blue"]);
  });

  test("context is added, changed and removed", async () => {
    await cloudinary.uploader.upload(file("f.png", png), { public_id: "described", context: { alt: "a" } });
    assert.deepEqual(await cloudinary.uploader.add_context("caption=b|c=d", ["described"]), {
      public_ids: ["described"],
    });
    assert.deepEqual((await cloudinary.api.resource("described")).context, {
      custom: { alt: "a", caption: "b", c: "d" },
    });
    const updated = await cloudinary.api.update("described", { tags: "x,y", context: { alt: "z|z" } });
    assert.deepEqual([updated.tags, updated.context], [["x", "y"], { custom: { alt: "z|z" } }]);
    await cloudinary.uploader.remove_all_context(["described"]);
    assert.equal((await cloudinary.api.resource("described")).context, undefined);
  });

  test("assets are listed by pages, by prefix and by id, and deleted together", async () => {
    const ids = Array.from({ length: 5 }, (_, at) => `list/${at}`);
    for (const public_id of ids) await cloudinary.uploader.upload(file("g.png", png), { public_id });
    const listed: string[] = [];
    let next_cursor: string | undefined;
    let pages = 0;
    do {
      const page = await cloudinary.api.resources({
        type: "upload",
        prefix: "list/",
        max_results: 2,
        direction: "asc",
        ...(next_cursor === undefined ? {} : { next_cursor }),
      });
      listed.push(...page.resources.map((resource: { public_id: string }) => resource.public_id));
      next_cursor = page.next_cursor;
      pages += 1;
    } while (next_cursor !== undefined);
    assert.deepEqual([listed, pages], [ids, 3]);
    const named = await cloudinary.api.resources_by_ids(["list/1", "list/3", "nowhere"]);
    assert.deepEqual(named.resources.map((resource: { public_id: string }) => resource.public_id).sort(), [
      "list/1",
      "list/3",
    ]);
    const [first] = named.resources;
    const { resource_by_asset_id: byAssetId } = cloudinary.api as unknown as Record<
      string,
      (id: string) => Promise<{ public_id: string }>
    >;
    assert.equal((await byAssetId?.(first.asset_id))?.public_id, first.public_id);
    const gone = await cloudinary.api.delete_resources(["list/0", "nowhere"]);
    assert.deepEqual(gone.deleted, { "list/0": "deleted", nowhere: "not_found" });
    assert.deepEqual([gone.rate_limit_allowed, typeof gone.rate_limit_remaining], [500, "number"]);
    assert.ok(gone.rate_limit_reset_at > startedAt);
    assert.equal((await cloudinary.api.resources({ prefix: "list/", type: "upload" })).resources.length, 4);
    assert.ok((await cloudinary.api.resources({ resource_type: "raw" })).resources.length > 0);
  });

  test("the library's own URLs lead to the bytes", async () => {
    await cloudinary.uploader.upload(file("h.png", png), { public_id: "address" });
    await cloudinary.uploader.upload(file("h.png", png), { public_id: "deep/address" });
    const options = { secure: false, private_cdn: false, cname: new URL(twin.origin).host, format: "png" };
    for (const id of ["address", "deep/address"]) {
      const given = await fetch(cloudinary.url(id, { ...options, urlAnalytics: false }));
      assert.deepEqual(Buffer.from(await given.arrayBuffer()), png, id);
    }
  });

  test("errors have the format of the service", async () => {
    const upload = (options: UploadApiOptions, path = file("i.png", png)) =>
      cloudinary.uploader.upload(path, options);
    await assert.rejects(
      upload({ api_secret: "wrong", public_id: "x", timestamp: startedAt.getTime() / 1000 }),
      isRefused(
        401,
        /^Invalid Signature [0-9a-f]{40}\. String to sign - 'public_id=x&timestamp=1795176000'\.$/,
      ),
    );
    await assert.rejects(upload({ api_key: "9999" }), isRefused(401, /^Unknown API key 9999$/));
    await assert.rejects(upload({ cloud_name: "nowhere" }), isRefused(401, /^Invalid cloud_name nowhere$/));
    await assert.rejects(
      upload({ timestamp: 1315060510 }),
      isRefused(400, /^Stale request - reported time is /),
    );
    await assert.rejects(upload({}, file("j.png", "no picture")), isRefused(400, /^Invalid image file$/));
    await assert.rejects(upload({}, "https://example.com/a.png"), isRefused(400, /is not fetched/));
    await assert.rejects(
      cloudinary.api.resource("trips/beach", { api_secret: "wrong" }),
      isRefused(401, /^api_secret mismatch$/),
    );
    await assert.rejects(
      cloudinary.api.resource("trips/beach", { cloud_name: "other" }),
      isRefused(401, /^cloud_name mismatch$/),
    );
    assert.deepEqual((await cloudinary.api.ping()).status, "ok");
  });
});
