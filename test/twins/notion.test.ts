/** `examples/twins/notion.md`, driven by Notion's own library. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  APIErrorCode,
  Client,
  collectPaginatedAPI,
  isNotionClientError,
  iteratePaginatedAPI,
  LogLevel,
} from "@notionhq/client";
import { serveTwin, type Twin } from "./serve-twin.ts";

interface NotionError extends Error {
  readonly code: string;
  readonly status: number;
}

async function failure(work: Promise<unknown>): Promise<NotionError> {
  const error = await work.then(
    () => assert.fail("did not fail"),
    (error: unknown) => error,
  );
  assert.ok(isNotionClientError(error), String(error));
  return error as unknown as NotionError;
}

const text = (content: string) => [{ type: "text" as const, text: { content } }];
const paragraph = (content: string) => ({
  type: "paragraph" as const,
  paragraph: { rich_text: text(content) },
});

describe("the published Notion library can't distinguish the twin from the service:", () => {
  let twin: Twin;
  let notion: Client;
  const client = (auth: string) =>
    new Client({ auth, baseUrl: twin.origin, logLevel: LogLevel.ERROR, logger: () => {}, retry: false });

  before(async () => {
    twin = await serveTwin("notion", [
      'User with name = "Ada", email = "ada@example.com", token = "ntn_ada"',
      'User with name = "Grace"',
    ]);
    notion = client("ntn_ada");
  });
  after(() => twin.close());

  test("users are listed, and the caller is returned", async () => {
    const me = await notion.users.me({});
    assert.equal(me.name, "Ada");
    const all = await collectPaginatedAPI(notion.users.list, { page_size: 1 });
    assert.deepEqual(
      all.map((user) => user.name),
      ["Ada", "Grace"],
    );
    assert.equal((await notion.users.retrieve({ user_id: all[1]?.id ?? "" })).name, "Grace");
  });

  test("a page is created, read by either form of its identifier, changed and trashed", async () => {
    const made = await notion.pages.create({
      parent: { type: "workspace", workspace: true },
      icon: { type: "emoji", emoji: "🥬" },
      properties: { title: { title: text("Garden") } },
      children: [paragraph("Sow"), paragraph("Reap")],
    });
    assert.match(made.id, /^[0-9a-f]{8}-/);
    const found = await notion.pages.retrieve({ page_id: made.id.replaceAll("-", "") });
    assert.equal(found.id, made.id);
    assert.ok("parent" in found && found.parent.type === "workspace");
    assert.deepEqual(found.icon, { type: "emoji", emoji: "🥬" });
    const child = await notion.pages.create({
      parent: { page_id: made.id },
      properties: { title: { title: text("Bed") } },
    });
    assert.ok("parent" in child && child.parent.type === "page_id");
    const blocks = await notion.blocks.children.list({ block_id: made.id });
    assert.deepEqual(
      blocks.results.map(
        (block) => "type" in block && block.type === "paragraph" && block.paragraph.rich_text[0],
      ),
      [...text("Sow"), ...text("Reap")],
    );
    const trashed = await notion.pages.update({ page_id: child.id, in_trash: true });
    assert.ok("in_trash" in trashed && trashed.in_trash);
  });

  test("blocks are appended, nested and removed", async () => {
    const page = await notion.pages.create({
      parent: { type: "workspace", workspace: true },
      properties: { title: { title: text("Long") } },
    });
    const children = Array.from({ length: 7 }, (_, at) => paragraph(`No. ${at + 1}`));
    const appended = await notion.blocks.children.append({ block_id: page.id, children });
    assert.equal(appended.results.length, 7);
    const first = appended.results[0]?.id ?? "";
    await notion.blocks.children.append({ block_id: first, children: [paragraph("Within")] });
    const again = await notion.blocks.retrieve({ block_id: first });
    assert.ok("has_children" in again && again.has_children);
    await notion.blocks.delete({ block_id: appended.results[3]?.id ?? "" });
    const ids: string[] = [];
    for await (const block of iteratePaginatedAPI(notion.blocks.children.list, {
      block_id: page.id,
      page_size: 2,
    }))
      ids.push(block.id);
    assert.deepEqual(ids, appended.results.map((block) => block.id).toSpliced(3, 1));
  });

  test("a search has its page in the body", async () => {
    for (let at = 1; at <= 5; at += 1) {
      twin.clock.moveBy(1000);
      await notion.pages.create({
        parent: { type: "workspace", workspace: true },
        properties: { title: { title: text(`Needle ${at}`) } },
      });
    }
    const requested = twin.requested.length;
    const found = await collectPaginatedAPI(notion.search, { query: "needle", page_size: 2 });
    assert.equal(found.length, 5);
    assert.deepEqual(twin.requested.slice(requested), [
      "POST /v1/search",
      "POST /v1/search",
      "POST /v1/search",
    ]);
    const searchResponse = await notion.search({ query: "Needle 3" });
    assert.equal(searchResponse.results.length, 1);
    assert.equal(searchResponse.next_cursor, null);
  });

  test("comments belong to their page", async () => {
    const page = await notion.pages.create({
      parent: { type: "workspace", workspace: true },
      properties: { title: { title: text("Talk") } },
    });
    await notion.comments.create({ parent: { page_id: page.id }, rich_text: text("First!") });
    const list = await notion.comments.list({ block_id: page.id.replaceAll("-", "") });
    assert.equal(list.results.length, 1);
    const [comment] = list.results;
    assert.ok(comment && "parent" in comment && comment.parent.type === "page_id");
    assert.equal(comment.parent.page_id, page.id);
  });

  test("errors have the library's codes", async () => {
    const unknownId = "00000000-0000-0000-0000-000000000000";
    const page = await failure(notion.pages.retrieve({ page_id: unknownId }));
    assert.equal(page.code, APIErrorCode.ObjectNotFound);
    assert.equal(page.status, 404);
    assert.match(page.message, new RegExp(`^Could not find page with ID: ${unknownId}\\.`));
    assert.equal((await failure(notion.blocks.children.list({ block_id: unknownId }))).status, 404);
    const wrong = await failure(client("ntn_wrong").users.me({}));
    assert.equal(wrong.code, APIErrorCode.Unauthorized);
    const invalid = await failure(notion.pages.create({ parent: { page_id: unknownId } } as never));
    assert.equal(invalid.code, APIErrorCode.ValidationError);
    assert.match(invalid.message, /body\.properties is required/);
    const cursor = await failure(notion.search({ start_cursor: "nonsense" }));
    assert.match(cursor.message, /body\.start_cursor is not a cursor of this list/);
  });
});
