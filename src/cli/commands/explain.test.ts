/** `ninefold explain`: command tests. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { codes } from "../../diagnostics/codes/index.ts";
import { functions } from "../../expressions/functions/index.ts";
import { entryFor, glossary } from "../../manual/glossary.ts";
import { headingSection, placesOf, withoutLinks } from "../../manual/reference.ts";
import { exampleNames, guideNames, ownPage } from "../../manual/own-pages.ts";
import { explanationOf } from "../../manual/explanation.ts";
import { itemsOfParts } from "../../syntax/nodes.ts";
import { runCommand as run } from "../testing/run-command.ts";
import { commands } from "./index.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("explain");

test("each code has its page, without links that a terminal can't follow", async () => {
  for (const code of Object.keys(codes))
    assert.ok(ownPage(`docs/diagnostics/${code}.md`).startsWith(`# ${code}`));
  const { code, out } = await run("explain", "endpoints/unknown-item");
  assert.equal(code, 0);
  assert.match(out, /^# endpoints\/unknown-item\n/);
  assert.doesNotMatch(out, /All diagnostics/);
});

test("items, rules, types, functions and names are found in the reference, under their headings", async () => {
  const { out } = await run("explain", "Idempotency");
  assert.match(
    out,
    /^idempotency: .*\n\nPart 4: Endpoints\n\n {2}`- Idempotency: header Idempotency-Key, 24 hours`/,
  );
  assert.match(out, /A second request waits for the first/);
  const reference = ownPage("docs/notation.md");
  for (const word of [
    "Returns",
    "- Visible:",
    "length",
    "decimal",
    "request.id",
    "immediately",
    "Webhooks",
    "random(20)",
  ])
    assert.ok(placesOf(word, reference).length > 0, word);
  for (const { name, internal } of functions)
    if (!internal) assert.ok(placesOf(name, reference).length > 0, `the function ${name}`);
});

test("each place is printed once, and paragraphs that only mention a described word are not", async () => {
  const { out } = await run("explain", "default");
  const lines = out.split("\n").filter((line) => line.trim() !== "");
  assert.deepEqual(
    lines.filter((line, at) => lines.indexOf(line) !== at),
    [],
  );
  assert.ok(out.indexOf("`default <expr>`") < out.indexOf("The 26 items"), "the row about it alone is first");
  assert.doesNotMatch(out, /A stream has the version/);
  for (const phrase of ["renamed state", "wrong state"])
    assert.equal((await run("explain", phrase)).code, 0, phrase);
});

test("a row that only mentions a word has the titles of its columns, and explains no synonym", async () => {
  const { out } = await run("explain", "kept");
  assert.match(out, /\n {2}Gap: an item without which .*`Kept`\n {4}The running service: works without/);
  assert.doesNotMatch((await run("explain", "cron")).out, /works without/);
});

test("a name of several words needs no quotes", async () => {
  for (const words of [
    ["Unknown", "fields"],
    ["not", "shown"],
    ["rate", "limit"],
  ] as const)
    assert.deepEqual(await run("explain", ...words), await run("explain", words.join(" ")));
});

test("the section that a row refers to is printed completely with it", async () => {
  const parts: Readonly<Record<string, readonly RegExp[]>> = {
    Pagination: [/`offset \(offset: offset/, /A cursor is valid only for the same list/, /RFC 8288/],
    Does: [/`replace Parcel`: replaces the fields that were sent/, /With `, if any`/],
    Accepts: [/Media types of bodies/, /`text\/\*` accepts every type/, /A body of length 0/],
    Caller: [/Schemes may have callers of several resources/],
    "sign in": [/checks the `password`, and takes the same time/],
    stream: [/are server-sent events from the log/, /`Ends: after parcel\.delivered`/],
    event: [/an event and an attempt to send it/],
  };
  for (const [word, expected] of Object.entries(parts)) {
    const { out } = await run("explain", word);
    for (const part of expected) assert.match(out, part, word);
  }
  const reference = ownPage("docs/notation.md");
  for (const [, word = ""] of reference.matchAll(/^\| `+(?:- )?([A-Za-z][\w-]*)/gm))
    for (const { cells } of placesOf(word, reference))
      assert.doesNotMatch(
        cells.join(" "),
        /\bsee (?:part|below|above)|\bbelow\b[,.)]|next table|in their parts/,
        word,
      );
});

test("an unknown word or code is answered with the nearest ones", async () => {
  assert.deepEqual(await run("explain", "retuns"), {
    code: 1,
    out: "",
    complaints: 'ninefold explain: Unknown word "retuns". Did you mean `ninefold explain returns`?\n',
  });
  assert.match((await run("explain", "webook")).complaints, /Did you mean `ninefold explain webhook`/);
  assert.match((await run("explain", "xyzzyx")).complaints, /`ninefold help` lists the pages/);
  assert.match((await run("explain", "endpoints/unknown-itm")).complaints, /endpoints\/unknown-item`\?/);
  assert.match(
    (await run("explain", "limits/qqqqqq")).complaints,
    /The codes of this part are:\n {2}limits\/\S+\n {2}limits\//,
  );
});

test("words of other tools lead to the section about them", async () => {
  const parts: Readonly<Record<string, RegExp>> = {
    gap: /^gap: .*answers 501 with part, item and line.*help guides\/errors-and-gaps/s,
    login: /^sign in: .*checks the `password`/s,
    "sign in": /^sign in: /,
    deploy: /^deployment: .*ninefold help guides\/production/s,
    Docker: /^deployment: /,
    enum: /^enumeration: .*`one of/s,
    "foreign key": /^reference: .*on delete cascade/s,
    "foreign-keys": /^reference: /,
    cron: /^timer: .*after 14 days/s,
    CI: /^ci: .*ninefold help guides\/ci/s,
    mock: /^mock: /,
    auth: /^authentication: /,
    "rate limit": /^rate limit: .*60|5000 per hour/s,
    "soft delete": /^soft delete: .*`- Deleted: marked`/s,
    upsert: /^upsert: .*creates one otherwise/s,
    "webhook retry": /^webhook: /,
    "optimistic locking": /^optimistic locking: .*If-Match/s,
    "dry run": /^migration: .*migrate --plan/s,
    "not shown": /^gap: /,
    ledger: /^ledger: The list of the 26 items/,
    null: /### Null\n/,
    "part 3": /^## Part 3: States and transitions\n/,
    handlers: /## Handlers\n/,
  };
  for (const [word, expected] of Object.entries(parts)) {
    const { code, out } = await run("explain", word);
    assert.equal(code, 0, word);
    assert.match(out, expected, word);
    assert.doesNotMatch(out, /\]\(/, `${word}: a link that a terminal can't follow`);
  }
});

test("words that newcomers know from elsewhere are found", async () => {
  const words =
    "graphql timezone index lock breaking clock snapshot proxy certificate trace alert csv python basic param yaml optional";
  for (const word of words.split(" ")) assert.equal((await run("explain", word)).code, 0, word);
});

test("an option is explained by its lines in the help of each command that has it", async () => {
  const { code, out } = await run("explain", "trust-proxy");
  assert.equal(code, 0);
  assert.match(
    out,
    /^ninefold serve\n\n {2}--trust-proxy N\|ADDRESSES\n {2} +how many proxies[\s\S]*unless --url is given\n$/,
  );
  for (const word of ["--trust-proxy", "NINEFOLD_TRUST_PROXY"])
    assert.equal((await run("explain", word)).out, out, word);
  const mapped = await run("explain", "tls-key");
  assert.match(mapped.out, /--tls-cert FILE, --tls-key FILE/);
  const several = (await run("explain", "--json")).out;
  assert.match(several, /ninefold check\n[\s\S]*ninefold data\n/);
  assert.match((await run("explain", "gaps-a")).complaints, /Did you mean `ninefold explain gaps-as`\?/);
  for (const { name, load } of commands)
    for (const [, option = ""] of (await load()).usage.matchAll(/^ +(?:-\w, )?--([a-z][a-z-]*)/gm))
      assert.equal((await run("explain", option)).code, 0, `${name} --${option}`);
});

test("sort leads to the items that order a list, and to the input that chooses the order", async () => {
  const { out } = await run("explain", "sort");
  assert.match(
    out,
    /^sort: .*`- Order: any of title, pages by query\.sort, else title`[\s\S]*\n {2}`- Order: created_at/,
  );
});

test("every entry of the glossary has a place, and no word has two entries", () => {
  const reference = ownPage("docs/notation.md");
  const words = glossary().flatMap(({ term, synonyms }) =>
    [term, ...synonyms].map((word) => word.toLowerCase()),
  );
  assert.deepEqual(
    words.filter((word, at) => words.indexOf(word) !== at),
    [],
  );
  for (const entry of glossary()) {
    for (const word of [entry.term, ...entry.synonyms]) assert.equal(entryFor(word), entry, word);
    for (const word of entry.reference)
      assert.ok(placesOf(word, reference).length > 0 || headingSection(word, reference), word);
    for (const guide of entry.guides) assert.ok(guideNames().includes(guide), guide);
    for (const command of entry.commands)
      assert.ok(
        commands.some(({ name }) => name === command),
        command,
      );
    const leads = [entry.reference, entry.guides, entry.commands].flat();
    assert.ok(leads.length > 0, entry.term);
  }
});

test("links are named as the commands that print their pages", () => {
  assert.equal(
    withoutLinks(
      "see [the guide](guides/streams.md), [handlers](#handlers), [RFC 9457](https://www.rfc-editor.org)",
    ),
    'see the guide (`ninefold help guides/streams`), handlers (`ninefold explain "handlers"`), RFC 9457',
  );
});

test("new describes for each item what to write, and the form has 26 gaps with or without that", async () => {
  for (const args of [[], ["--bare"]]) {
    const { out } = await run("new", ...args);
    const { ledger, diagnostics } = compile(out, { file: "new.md" });
    assert.equal(ledger.filter(({ answer }) => answer === "not shown").length, 26);
    assert.deepEqual(
      diagnostics.filter(({ kind }) => kind === "mistake"),
      [],
    );
    assert.equal(out.includes("Initial state"), args.length === 0);
  }
});

test("new --example writes a whole service, and never overwrites a file", async () => {
  const file = join(folder, "desk.md");
  const { code, out } = await run("new", file, "--example", "helpdesk");
  assert.equal(code, 0);
  assert.match(out, /ninefold serve .* --watch/);
  assert.equal(readFileSync(file, "utf8"), ownPage("examples/helpdesk.md"));
  assert.equal((await run("new", file)).code, 3);
  const { complaints } = await run("new", join(folder, "none.md"), "--example", "shop");
  assert.match(complaints, /Unknown example "shop"\. Write one of conduit, .*helpdesk, parcel-desk/);
  assert.ok(!existsSync(join(folder, "none.md")));
  assert.ok(exampleNames().includes("parcel-desk"));
});

test("each of the 26 items is explained", () => {
  const items = Object.values(itemsOfParts).flat();
  const unknown = items.filter((item) => explanationOf(item) === undefined);
  assert.deepEqual(unknown, []);
});

test("help notation lists parts and headings, and prints one of them", async () => {
  const list = await run("help", "notation");
  assert.ok(list.out.length < 3000);
  assert.match(list.out, /Part 4: Endpoints +\d+ kB/);
  for (const words of [["4"], ["part", "4"], ["endpoints"]]) {
    const { out } = await run("help", "notation", ...words);
    assert.match(out, /^## Part 4: Endpoints\n/);
    assert.ok(!out.includes("## Part 5"));
  }
  assert.match((await run("help", "notation", "stored", "changes")).out, /^### Stored changes\n/);
  assert.match((await run("help", "notation", "pagination")).out, /- Pagination:/);
  assert.equal((await run("help", "notation", "all")).out, ownPage("docs/notation.md"));
  const wrong = await run("help", "lifecycle", "nonsense");
  assert.equal(wrong.code, 2);
  assert.match(wrong.complaints, /Unknown heading "nonsense" of lifecycle/);
});

test("an operation is explained with any resource", async () => {
  for (const verb of ["read", "list", "delete"]) {
    const { out } = await run("explain", verb, "Invoice");
    assert.match(out, new RegExp(`\`${verb} Parcel\`\n +\\w+ the record`));
  }
});

test("explain FILE prints what the document says of a resource, an operation or a heading", async () => {
  const file = "examples/parcel-desk.md";
  const resource = await run("explain", file, "hook");
  assert.match(resource.out, /^Line \d+:\n### Hook\n/);
  assert.match(resource.out, /Endpoints:\n {2}POST \/v1\/hooks: create Hook \(line \d+\)/);
  const operation = await run("explain", file, "list", "Parcel");
  assert.match(operation.out, /^Endpoints:\n {2}GET \/v1\/parcels: list Parcel \(line \d+\)\n/);
  assert.match(operation.out, /returns the records/);
  assert.match((await run("explain", file, "upsert", "Hook")).out, /^No endpoint does `upsert Hook`\./);
  assert.match((await run("explain", file, "GET", "/parcels")).out, /- Order: created_at descending/);
  assert.match((await run("explain", file, "gap")).out, /^gap: /);
  assert.match((await run("explain", file)).complaints, /Unknown word/);
});
