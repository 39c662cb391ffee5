/**
 * File uploads over HTTP: bytes come back unchanged, files that are too large or have a wrong type
 * are rejected, and no secret is shown.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { maskMultipart } from "../../src/engine/secrets/mask-text.ts";
import { serveDocument, type Served, smallDocument } from "./serve-document.ts";

describe("a service that accepts files", () => {
  let served: Served;
  let http: ReturnType<typeof createHttpServer>;
  let origin = "";
  before(async () => {
    served = await serveDocument(
      smallDocument({
        resources: `### Photo

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | |
| type | string | |
| content | string | internal |`,
        endpoints: `### POST /photos

- Does: create Photo
- Accepts: multipart/form-data
- Set: \`name = body.photo.name; type = body.photo.type; content = body.photo.content\`
- Returns: 201 Photo

| Input | In | Type | Rules |
|---|---|---|---|
| photo | body | file of image/* | required |

### GET /photos/{id}/content

- Does: read Photo
- Preconditions: If-None-Match
- Returns: 200 \`unbase64(this.content)\`
- Header: Content-Type: \`this.type\``,
      }),
    );
    const { service } = served.target;
    http = createHttpServer((request) => service.fetch(request), {
      refuse: (refusal) => service.refuse(refusal),
    });
    const { port } = await http.listen(0, "127.0.0.1");
    origin = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    await http.close(0);
    await served.close();
  });

  const send = (bytes: Uint8Array<ArrayBuffer>, name = "a.png", type = "image/png") => {
    const form = new FormData();
    form.append("photo", new File([bytes], name, { type }));
    return fetch(`${origin}/photos`, { method: "POST", body: form });
  };
  const png = (size: number) =>
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...randomBytes(size)]);

  test("bytes come back unchanged, with their own entity tag", async () => {
    const bytes = png(300_000);
    const made = await send(bytes, "große.png", "application/octet-stream");
    const { id, name, type } = (await made.json()) as { id: number; name: string; type: string };
    assert.deepEqual([made.status, name, type], [201, "große.png", "image/png"]);
    const answer = await fetch(`${origin}/photos/${id}/content`);
    const back = Buffer.from(await answer.arrayBuffer());
    const hashOf = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");
    assert.equal(hashOf(back), hashOf(bytes));
    assert.equal(answer.headers.get("content-type"), "image/png");
    assert.equal(answer.headers.get("content-length"), String(bytes.byteLength));
    const tag = answer.headers.get("etag") ?? "";
    const again = await fetch(`${origin}/photos/${id}/content`, { headers: { "If-None-Match": tag } });
    assert.equal(again.status, 304);
    const head = await fetch(`${origin}/photos/${id}/content`, { method: "HEAD" });
    assert.equal(head.headers.get("content-length"), String(bytes.byteLength));
  });

  test("a file over the limit of bodies is rejected, and so is a file with a wrong type", async () => {
    assert.equal((await send(png(2_000_000))).status, 413);
    const text = await send(new Uint8Array(Buffer.from("<svg onload='x'>")));
    assert.equal(text.status, 422);
    assert.match(await text.text(), /does not contain image\/png data/);
  });

  test("the response to a body that isn't multipart names the accepted media types", async () => {
    const answer = await fetch(`${origin}/photos`, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });
    assert.deepEqual([answer.status, answer.headers.get("accept-post")], [415, "multipart/form-data"]);
  });
});

test("operators see no secret of a multipart body, truncated or whole", () => {
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const text = `${part("user[password]", "s3cret\r\nline")}${part("title", "shown")}${part("password", "s3cr")}`;
  const masked = maskMultipart(text.slice(0, -4), (name) => name === "password");
  assert.doesNotMatch(masked, /s3cr|line/);
  assert.match(masked, /shown/);
});
