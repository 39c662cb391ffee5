/**
 * The files of a site: link targets exist, pages load only the site's files, and text from a
 * document is never interpreted as HTML.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { itemsOfParts } from "../../src/syntax/nodes.ts";
import { docsOutput } from "../../src/outputs/docs/docs.ts";
import { gapAnswers } from "../../src/outputs/docs/gap-answers.ts";
import type { OutputOptions } from "../../src/outputs/output.ts";
import { filesUnder, textOf } from "../repository/repository.ts";
import { type Files, examples, modelOf, pagesOf, siteOf, siteOfExample } from "./site.ts";

const documents = filesUnder("examples", ".md").filter((path) => !path.endsWith(".seed.md"));

function unescaped(text: string): string {
  return text
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function idsOf(html: string): readonly string[] {
  return [...html.matchAll(/\sid="([^"]*)"/g)].map((hit) => unescaped(hit[1] as string));
}

function hrefsOf(html: string): readonly string[] {
  return [...html.matchAll(/\shref="([^"]*)"/g)].map((hit) => unescaped(hit[1] as string));
}

/** Links of a page, or addresses of the search, whose target doesn't exist. */
function deadEnds(
  files: Files,
  from: string,
  hrefs: readonly string[],
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return hrefs
    .filter((href) => !/^(https?:|mailto:|data:)/.test(href))
    .filter((href) => {
      const [path = "", anchor] = href.split("#");
      const page = path === "" ? from : path;
      if (!files.has(page)) return true;
      return anchor !== undefined && !ids.get(page)?.has(decodeURIComponent(anchor));
    })
    .map((href) => `${from}: ${href}`);
}

interface Entry {
  readonly u: string;
  readonly t: string;
  readonly k: string;
}

function searchOf(files: Files): readonly Entry[] {
  const world: { ninefoldSearch?: readonly Entry[] } = {};
  new Function("window", files.get("search.js") ?? "")(world);
  return world.ninefoldSearch ?? [];
}

for (const path of documents) {
  describe(`the site of ${path}:`, () => {
    test("every link and every address of the search has a target, and ids are unique", async () => {
      const files = await siteOfExample(path);
      const ids = new Map(pagesOf(files).map((page) => [page, new Set(idsOf(files.get(page) as string))]));
      for (const page of pagesOf(files)) {
        const all = idsOf(files.get(page) as string);
        assert.deepEqual(
          all.filter((id, at) => all.indexOf(id) !== at),
          [],
          page,
        );
        assert.deepEqual(
          all.filter((id) => /\s/.test(id)),
          [],
          page,
        );
      }
      const dead = pagesOf(files).flatMap((page) =>
        deadEnds(files, page, hrefsOf(files.get(page) as string), ids),
      );
      assert.deepEqual(dead, []);
      const entries = searchOf(files);
      assert.deepEqual(
        deadEnds(
          files,
          "search.js",
          entries.map((entry) => entry.u),
          ids,
        ),
        [],
      );
      assert.ok(entries.length > 8);
    });

    test("no file loads anything from elsewhere", async () => {
      const files = await siteOfExample(path);
      for (const [name, text] of files) {
        if (name.endsWith(".html")) {
          const loaded = [
            ...text.matchAll(
              /<(?:script|img|iframe|link|source|video|audio|object|embed|use|image)\b[^>]*?\s(?:src|href|data|xlink:href)="([^"]*)"/g,
            ),
          ];
          assert.deepEqual(
            [...new Set(loaded.map((hit) => hit[1]))].toSorted(),
            ["data:,", "site.css", "site.js"],
            name,
          );
          assert.doesNotMatch(text, /\sstyle=|<style|<base|\son[a-z]+="|srcset=|http-equiv="refresh"/, name);
          assert.match(
            text,
            /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self';/,
          );
        } else if (name.endsWith(".css")) assert.doesNotMatch(text, /url\(|@import|https?:/, name);
        else if (name === "site.js")
          assert.doesNotMatch(
            text,
            /https?:|\bfetch\b|XMLHttpRequest|sendBeacon|WebSocket|EventSource|innerHTML|\beval\b/,
            name,
          );
      }
    });

    test("each page exists as Markdown with valid links, and llms.txt lists all of them", async () => {
      const files = await siteOfExample(path);
      const llms = files.get("llms.txt") ?? "";
      for (const page of [...files.keys()].filter((name) => name.endsWith(".html"))) {
        const name = page.replace(/html$/, "md");
        const text = files.get(name) ?? "";
        assert.match(text, /^# \S/, name);
        assert.doesNotMatch(text.replace(/`[^`]*`/g, ""), /<\/?(?:div|span|p|ul|li|table|code|a)\b/, name);
        for (const [, target = ""] of text.matchAll(/\]\(([\w.%-]+\.(?:md|html))\)/g))
          assert.ok(files.has(decodeURIComponent(target)), `${name}: ${target}`);
        assert.ok(llms.includes(`](${name})`), name);
      }
    });

    test("the same document gives the same bytes", async () => {
      assert.deepEqual(await siteOfExample(path), await siteOf(textOf(path), path));
    });
  });
}

test("anchors derive from names of endpoints, fields, states, transitions, errors, events and schemes", async () => {
  const entries = searchOf(await siteOfExample("examples/parcel-desk.md"));
  const addresses = new Set(entries.map((entry) => entry.u));
  for (const address of [
    "resource-Parcel.html#createParcel",
    "resource-Parcel.html#Parcel.status",
    "resource-Parcel.html#Parcel.is.in_transit",
    "resource-Parcel.html#Parcel.do.deliver",
    "errors.html#error-wrong_state",
    "events.html#event-parcel.delivered",
    "authentication.html#scheme-secret-key",
    "scenarios.html#scenario-a-parcel-reaches-its-recipient",
    "gaps.html#item-notifications",
  ])
    assert.ok(addresses.has(address), address);
});

test("the site of a document of gaps shows each gap with its answers, and no invented value", async () => {
  const files = await siteOfExample("examples/unidentified-service.md");
  const gaps = files.get("gaps.html") as string;
  for (const item of Object.values(itemsOfParts).flat()) {
    assert.ok(gaps.includes(`id="item-${item.replaceAll(" ", "-")}"`), item);
    assert.ok(gaps.includes(gapAnswers[item].question), item);
  }
  assert.equal(gaps.match(/To answer it, write/g)?.length, 26);
  const cards = /<ul class="cards">([\s\S]*?)<\/ul>/.exec(files.get("index.html") as string)?.[1] ?? "";
  assert.deepEqual(
    [...cards.matchAll(/<strong>([^<]*)</g)].map((hit) => hit[1]),
    ["–", "–", "–", "–", "–", "26"],
  );
  for (const page of [
    "authentication",
    "errors",
    "events",
    "limits",
    "versions",
    "endpoints",
    "resources",
    "states",
  ])
    assert.match(files.get(`${page}.html`) as string, /<strong>Not shown:<\/strong>/, page);
  // A gap isn't a statement that there are none.
  assert.doesNotMatch(files.get("states.html") as string, /No resource has states/);
  assert.match(files.get("scenarios.html") as string, /The document has no scenario\./);
});

test("the suggested lines answer an item with `none`", () => {
  const text = textOf("examples/unidentified-service.md");
  for (const [part, items] of Object.entries(itemsOfParts)) {
    for (const item of items) {
      const line = gapAnswers[item].lines.find((line) => line.endsWith(": none"));
      if (line === undefined) continue;
      const heading = /^## .*$/gm;
      const headings = [...text.matchAll(heading)];
      const at = Object.keys(itemsOfParts).indexOf(part);
      const start = (headings[at]?.index ?? 0) + (headings[at]?.[0].length ?? 0);
      const end = headings[at + 1]?.index ?? text.length;
      const { ledger } = modelOf(`${text.slice(0, start)}\n\n${line}\n\n${text.slice(end)}`);
      assert.equal(ledger.find((entry) => entry.item === item)?.answer, "none", line);
    }
  }
});

const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'`;

const hostileDocument = `# Interface Specification: ${hostile}

## What the service does

- Purpose: ${hostile} [a](javascript:alert(1)) ![x](https://elsewhere.example/p.png)
- Domain: ${hostile}
- Behaviour: ${hostile}

### Scenario: ${hostile}

- Given: \`Thing with name = "${hostile.replaceAll('"', '\\"')}" as thing\`

\`\`\`http
POST /things?q=${encodeURIComponent(hostile)}
X-Evil: ${hostile}

{"name": ${JSON.stringify(hostile)}}
\`\`\`

\`\`\`http
HTTP/1.1 201

{"name": ${JSON.stringify(hostile)}}
\`\`\`

## Resources and their fields

### Thing

${hostile} <svg onload=alert(1)>

- Identifier: id, made by \`uuidv7()\`
- Visible: \`this.name != "${hostile.replaceAll('"', '\\"')}"\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| name | string | required, pattern \`^[^<]*(<script>)?.*$\` | ${hostile} |

## States and transitions

- States: none
- Transitions: none

## Endpoints

### POST /things

${hostile}

- Does: create Thing
- Body: name
- Fails: evil when \`this.name == "</script><b>"\`
- Returns: 201 Thing

| Input | In | Type | Rules | Where |
|---|---|---|---|---|
| q | query | string | | none |

## Authentication

- Scheme: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| evil | 409 | | ${hostile} |

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: none

## Versioning

- Scheme: none
- Compatibility: ${hostile}
`;

test("whatever a document has in its names, prose and values stays text", async () => {
  const files = await siteOf(hostileDocument, `/etc/${hostile}.md`);
  for (const page of pagesOf(files)) {
    const text = files.get(page) as string;
    const tags = [...text.matchAll(/<([a-zA-Z][^\s/>]*)/g)].map((hit) => (hit[1] as string).toLowerCase());
    assert.deepEqual(
      tags.filter((tag) => ["img", "iframe", "object", "b", "embed"].includes(tag)),
      [],
      page,
    );
    assert.equal(tags.filter((tag) => tag === "script").length, 1, page);
    assert.doesNotMatch(text, /<svg onload|href="\s*javascript:/i, page);
  }
  assert.ok((files.get("resource-Thing.html") as string).includes("&lt;/script&gt;&lt;script&gt;alert(1)"));
});

test("a page names the rule of each rejection, and an error the rules that raise it", async () => {
  const files = await siteOfExample("examples/parcel-desk.md");
  const section =
    /<section id="deliverParcel"[\s\S]*?<\/section>/.exec(files.get("resource-Parcel.html") as string)?.[0] ??
    "";
  assert.match(
    section,
    /the Parcel is not <code>in_transit<\/code><\/td><td><span class="chip bad">409<\/span> <a href="errors.html#error-wrong_state">/,
  );
  const error =
    /<section id="error-already_moving"[\s\S]*?<\/section>/.exec(files.get("errors.html") as string)?.[0] ??
    "";
  assert.match(error, /this<\/span>\.status != [\s\S]*href="resource-Parcel.html#updateParcel"/);
});

test("each state has its possible transitions with their callers, and the rejected ones", async () => {
  const files = await siteOfExample("examples/parcel-desk.md");
  const row =
    /<tr id="Parcel\.is\.registered">[\s\S]*?<\/tr>/.exec(files.get("resource-Parcel.html") as string)?.[0] ??
    "";
  assert.match(row, /collect<\/code><\/a> → <code>in_transit<\/code>[\s\S]*collectParcel/);
  assert.match(row, /lapse[\s\S]*automatically after 14 days/);
  assert.match(row, /<code>deliver<\/code>: <span class="chip bad">409<\/span>/);
});

test("examples are the requests of scenarios, in their version", async () => {
  const files = await siteOfExample("examples/parcel-desk.md");
  const page = unescaped((files.get("resource-Parcel.html") as string).replace(/<[^>]*>/g, ""));
  assert.ok(
    page.includes(`# parcel: from the response to POST /v1/parcels
# credential: yours, see Authentication
curl -X POST "$API/v1/parcels/$parcel/deliver" \\
  -H "Authorization: Bearer $credential" \\
  -H "Parcel-Version: 2026-11-01" \\
  -H "Content-Type: application/json" \\
  -d '{
  "signed_by": "G. Hopper"
}'`),
  );
});

test("the first request has the address that is known, and the reader's own credential", async () => {
  const model = modelOf(textOf("examples/parcel-desk.md"));
  const page = async (options: OutputOptions) => {
    const { files } = await docsOutput.generate(model, options);
    return unescaped((files.find(({ path }) => path === "index.html")?.text ?? "").replace(/<[^>]*>/g, ""));
  };
  const known = await page({ url: "https://api.example.com/" });
  assert.ok(known.includes("export API=https://api.example.com\nexport credential=YOUR_CREDENTIAL"), known);
  assert.doesNotMatch(known, /4545|sk_ada/);
  assert.match(known, /-H "Authorization: Bearer \$credential"/);
  assert.match(await page({}), /export API=http:\/\/127\.0\.0\.1:4545/);
  const older = await page({ version: "2026-03-01" });
  assert.doesNotMatch(older, /2026-11-01"/);
  await assert.rejects(async () => page({ url: "nowhere" }), /is not the address of a service/);
});

test("an operation has one name, in the menu, at its heading and in the search", async () => {
  for (const path of examples) {
    const files = await siteOfExample(path);
    for (const [name, text] of files) {
      if (!name.endsWith(".html")) continue;
      const headings = [...text.matchAll(/<section id="[^"]*">\n<h3><a class="anchor"[^>]*>([^<]*)<\/a>/g)];
      for (const [, title = ""] of headings) {
        assert.ok(text.includes(`<span>${title}</span><span class="method`), `${path} ${name}: ${title}`);
        assert.ok(files.get("search.js")?.includes(title), title);
      }
      assert.equal(new Set(headings.map(([, title]) => title)).size, headings.length, name);
    }
  }
  const page = (await siteOfExample("examples/parcel-desk.md")).get("errors.html") ?? "";
  assert.match(page, /<span>Give Back Parcel<\/span>/, "a small site lists its operations on every page");
  const section = (await siteOfExample("examples/parcel-desk.md")).get("resource-Parcel.html") ?? "";
  for (const words of ["Authorization", "Request body", "Responses", "Show fields", "Path parameters"])
    assert.ok(section.includes(words), words);
});

test("a type names null once, at the end, and each resource once", async () => {
  const page = unescaped(
    (await siteOfExample("examples/twins/stripe.md")).get("resource-PaymentIntent.html") ?? "",
  );
  const typeOf = (field: string) =>
    new RegExp(`id="PaymentIntent\\.${field}".*?<span class="type">(.*?)</span>`, "s")
      .exec(page)?.[1]
      ?.replaceAll(/<[^>]+>/g, "");
  assert.equal(typeOf("customer"), "string or Customer or null");
  assert.doesNotMatch(page, /null or null/);
  assert.match(page, /map of string \(or null\)/);
  assert.doesNotMatch(page, /<summary>Either [^<]*<\/summary><\/details>/);
});

test("the diagram of the resources has those with references, and the number of the others", async () => {
  const stripe = await siteOfExample("examples/twins/stripe.md");
  const page = stripe.get("resources.html") ?? "";
  const left = Number(/(\d+) resources? without references/.exec(page)?.[1]);
  const shown = [...page.matchAll(/<svg[\s\S]*?<\/svg>/g)].join("").match(/<rect/g)?.length ?? 0;
  assert.ok(left > 0 && shown > 0, `${left} ${shown}`);
  assert.doesNotMatch(
    (await siteOfExample("examples/unidentified-service.md")).get("resources.html") ?? "",
    /<svg/,
  );
});

test("a scheme says who issues its credentials, and which error rejects a request without one", async () => {
  const desk = (await siteOfExample("examples/parcel-desk.md")).get("authentication.html") ?? "";
  assert.match(
    desk,
    /<dt>Issued by<\/dt><dd>the operator of the service: no endpoint creates a <a [^>]*>ApiKey</,
  );
  assert.match(desk, /<dt>Rejected with<\/dt><dd><span class="chip bad">401<\/span> <a [^>]*><code>no_key/);
  const conduit = (await siteOfExample("examples/conduit.md")).get("authentication.html") ?? "";
  assert.match(conduit, /<dt>Issued by<\/dt><dd><a href="[^"]*#/);
});

test("the colour of gaps marks gaps, and nothing else", async () => {
  for (const path of examples)
    for (const [name, text] of await siteOfExample(path))
      for (const [, words = ""] of text.matchAll(/class="chip open">([^<]*)/g))
        assert.match(words, /^(not shown|silent|line \d+|\d+$)/, `${path} ${name}`);
  const css = (await siteOfExample("examples/parcel-desk.md")).get("site.css") ?? "";
  const selectors = [...css.matchAll(/([^{}]+)\{[^{}]*var\(--gap\b[^{}]*\}/g)].map(([, selector = ""]) =>
    selector.trim(),
  );
  assert.deepEqual(selectors, [".chip.open", ".gap"]);
});

test("a field whose type isn't shown is shown as a gap, in the object and where it is sent", async () => {
  const text = textOf("examples/parcel-desk.md").replace(/(\| reference +\|) string /, "$1 not shown ");
  const files = await siteOf(text);
  const line = text.split("\n").findIndex((row) => /^\| reference +\| not shown/.test(row)) + 1;
  const page = files.get("resource-Parcel.html") as string;
  const field = /<li class="field" id="Parcel\.reference">[\s\S]*?<\/li>/.exec(page)?.[0] ?? "";
  assert.ok(field.includes(`not shown, line ${line}`), field);
  const creation = /<section id="createParcel"[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
  assert.ok(creation.includes(`not shown, line ${line}`));
});

test("the site of an older version has its names, and no example of another version", async () => {
  const model = modelOf(textOf("examples/parcel-desk.md"));
  const { files } = await docsOutput.generate(model, { version: "2026-03-01" });
  const page = files.find((file) => file.path === "resource-Parcel.html")?.text ?? "";
  assert.match(page, /id="Parcel\.weight"/);
  assert.doesNotMatch(page, /id="Parcel\.(weight_grams|price)"|sk_ada|2026-11-01/);
  assert.ok(
    unescaped(page.replace(/<[^>]*>/g, "")).includes(`"weight": '"$weight"'`),
    "names where values go",
  );
});

test("the reviewed pages of the examples exist", () => {
  for (const path of examples) assert.ok(documents.includes(path), path);
});
