import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { codes } from "../../diagnostics/codes/index.ts";
import { functions } from "../../expressions/functions/index.ts";
import { placesOf } from "../explaining.ts";
import { exampleNames, ownPage } from "../own-pages.ts";
import { runCommand as run } from "../testing/run-command.ts";
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
  assert.match(out, /^Part 4: Endpoints\n\n {2}`- Idempotency: header Idempotency-Key, 24 hours`/);
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

test("what a row refers to is printed with it, and sections are whole", async () => {
  const parts: Readonly<Record<string, readonly RegExp[]>> = {
    Pagination: [/`offset \(offset: offset/, /A cursor belongs to its list/, /RFC 8288/],
    Does: [/`replace Parcel`: what was not sent is cleared/, /With `, if any`/],
    Accepts: [/Media types of bodies/, /`text\/\*` accepts every type/, /A body of length 0/],
    Caller: [/Schemes may have callers of several resources/],
    "sign in": [/compares its `password`, and takes as long/],
    stream: [/are server-sent events out of the log/, /`Ends: after parcel\.delivered`/],
    event: [/what happened/],
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

test("what nobody knows is said, with what is near", async () => {
  assert.deepEqual(await run("explain", "retuns"), {
    code: 1,
    out: "",
    complaints: 'ninefold explain: nothing is known of "retuns". Did you mean `ninefold explain returns`?\n',
  });
  assert.match((await run("explain", "endpoints/unknown-itm")).complaints, /endpoints\/unknown-item/);
});

test("new tells of each item what may stand there, and the form has 26 gaps with or without that", async () => {
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

test("new --example writes a whole service, and none over a file that is there", async () => {
  const file = join(folder, "desk.md");
  const { code, out } = await run("new", file, "--example", "helpdesk");
  assert.equal(code, 0);
  assert.match(out, /ninefold serve .* --watch/);
  assert.equal(readFileSync(file, "utf8"), ownPage("examples/helpdesk.md"));
  assert.equal((await run("new", file)).code, 3);
  const { complaints } = await run("new", join(folder, "none.md"), "--example", "shop");
  assert.match(complaints, /There is no example "shop"\. There are conduit, .*helpdesk, parcel-desk/);
  assert.ok(!existsSync(join(folder, "none.md")));
  assert.ok(exampleNames().includes("parcel-desk"));
});
