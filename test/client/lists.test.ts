/** Lists of every kind of pages, gone through by the client against a real service: each item once, in order, a page when it is its turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { smallDocument } from "../contracts/serve-document.ts";
import { modelOf } from "../deliveries/serve-shop.ts";
import { loadClient } from "./package.ts";
import { serveModel } from "./serve.ts";

interface Kind {
  readonly pagination: string;
  readonly returns: string;
  readonly shape?: string;
  readonly method?: "POST";
  /** How many requests seven items take, two on a page. */
  readonly requests: number;
}

const page = `### Shape: Page\n\n\`\`\`cel\n{"data": page.items, "more": page.has_more, "way": {"next": page.next}}\n\`\`\``;
const bare = `### Shape: Page\n\n\`\`\`cel\n{"data": page.items}\n\`\`\``;
const addresses = `### Shape: Page\n\n\`\`\`cel\n{"data": page.items, "next": page.next_url}\n\`\`\``;
const paths = `### Shape: Page\n\n\`\`\`cel\n{"data": page.items, "next": or(page.next_uri, "")}\n\`\`\``;

const kinds: Readonly<Record<string, Kind>> = {
  "a cursor": {
    pagination: "cursor (size: limit, after: after)",
    returns: "Page of Note",
    shape: page,
    requests: 4,
  },
  "a cursor at which a page begins": {
    pagination: "cursor (size: limit, at: at)",
    returns: "Page of Note",
    shape: page,
    requests: 4,
  },
  "a cursor in brackets": {
    pagination: "cursor (size: page[size], after: page[after])",
    returns: "Page of Note",
    shape: page,
    requests: 4,
  },
  "a cursor in the body": {
    pagination: "cursor (size: limit, after: after)",
    returns: "Page of Note",
    shape: page,
    method: "POST",
    requests: 4,
  },
  "the last identifier": {
    pagination: "identifier (size: limit, after: after)",
    returns: "Page of Note",
    shape: `### Shape: Page\n\n\`\`\`cel\n{"data": page.items, "more": page.has_more}\n\`\`\``,
    requests: 4,
  },
  "numbers from 0, and nothing else": {
    pagination: "page from 0 (page: page, size: limit)",
    returns: "Page of Note",
    shape: bare,
    requests: 5,
  },
  "numbers, as links": {
    pagination: "page (page: page, size: limit), with Link",
    returns: "list of Note",
    requests: 4,
  },
  "numbers, as the list alone": {
    pagination: "page (page: page, size: limit)",
    returns: "list of Note",
    requests: 5,
  },
  "an offset": {
    pagination: "offset (offset: offset, size: limit)",
    returns: "Page of Note",
    shape: bare,
    requests: 5,
  },
  "an offset from 1": {
    pagination: "offset from 1 (offset: startIndex, size: limit)",
    returns: "Page of Note",
    shape: bare,
    requests: 5,
  },
  addresses: {
    pagination: "offset (offset: offset, size: limit)",
    returns: "Page of Note",
    shape: addresses,
    requests: 4,
  },
  "addresses without a host": {
    pagination: "page (page: page, size: limit)",
    returns: "Page of Note",
    shape: paths,
    requests: 4,
  },
};

for (const [name, { pagination, returns, shape = "", method, requests }] of Object.entries(kinds)) {
  test(`pages by ${name}: a list of seven notes is complete, with no needless request`, async () => {
    const model = modelOf(
      smallDocument({
        endpoints: `### ${method ?? "GET"} /notes/search\n\n- Does: list Note\n- Order: id\n- Pagination: ${pagination}\n- Returns: 200 ${returns}\n\n${shape}`,
      }),
    );
    const { client, generated } = await loadClient(model);
    const served = await serveModel(model);
    try {
      await served.make(
        [1, 2, 3, 4, 5, 6, 7].map((at) => `- Given: \`Note with text = "n${at}"\``).join("\n"),
      );
      let requested = 0;
      const connected = client["connect"]({
        url: served.url,
        fetch: (url: string, init: RequestInit) => {
          requested += 1;
          return fetch(url, init);
        },
      });
      const names = generated.files
        .find(({ path }) => path === "notes.js")
        ?.text.match(/export function (\w+)/);
      const options = pagination.includes("[") ? { page: { size: 2 } } : { limit: 2 };
      const list = client[names?.[1] as string](connected, options);
      assert.equal(requested, 0, "nothing is requested before the first item is read");
      const texts: string[] = [];
      for await (const note of list) texts.push(note.text);
      assert.deepEqual(texts, ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]);
      assert.equal(requested, requests);
      const first = await list;
      assert.equal((first.data ?? first).length, 2);
      assert.equal(requested, requests, "the first page is requested once");
      const sizes: number[] = [];
      for await (const page of list.pages()) sizes.push((page.data ?? page).length);
      assert.deepEqual(
        sizes.filter((size) => size > 0),
        [2, 2, 2, 1],
      );
    } finally {
      await served.close();
    }
  });
}

test("a list whose response has no cursor of the next page promises its first page alone", async () => {
  const model = modelOf(
    smallDocument({
      endpoints:
        "### GET /notes\n\n- Does: list Note\n- Pagination: cursor (size: limit, after: after)\n- Returns: 200 list of Note",
    }),
  );
  const { generated } = await loadClient(model);
  const types = generated.files.find(({ path }) => path === "notes.d.ts")?.text ?? "";
  assert.match(types, /Promise</);
  assert.doesNotMatch(types, /runtime\.List/);
});
