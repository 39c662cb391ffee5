/** The ledger: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReporter } from "../../../diagnostics/diagnostic.ts";
import { createSource, positionOf } from "../../../source/source.ts";
import { type PartName, partTitles } from "../../../syntax/nodes.ts";
import { parseMarkdown } from "../../../syntax/markdown.ts";
import { createLedger } from "./ledger.ts";

/** The ledger of a document with one part, and the answers to the items of that part. */
function ledgerOf(part: PartName, text: string) {
  const source = createSource("test.md", `## ${partTitles[part]}\n\n${text}\n`);
  const reporter = createReporter(source);
  const ledger = createLedger(parseMarkdown(source, createReporter(source)), reporter);
  const finish = () =>
    Object.fromEntries(
      ledger
        .finish()
        .filter((entry) => entry.part === part)
        .map((entry) => [entry.item, entry.answer]),
    );
  return { source, reporter, ledger, finish };
}

test("a sentence answers the items that it names, in any case and over line breaks", () => {
  assert.deepEqual(
    ledgerOf("limits", "Rate limits,\ntime-outs and pagination\nbounds: not shown.").finish(),
    {
      "rate limits": "not shown",
      "size limits": "silent",
      "time-outs": "not shown",
      "pagination bounds": "not shown",
    },
  );
});

test("a sentence that names no item answers all of its part", () => {
  assert.deepEqual(ledgerOf("events", "Whatever it sends: none.").finish(), {
    events: "none",
    webhooks: "none",
    notifications: "none",
  });
});

test("two sentences, another ending and part of a word are description", () => {
  for (const text of [
    "Events are many. Webhooks: not shown.",
    "Webhooks: not shown",
    "They are: not shown!",
  ]) {
    assert.deepEqual(
      ledgerOf("events", text).finish(),
      { events: "silent", webhooks: "silent", notifications: "silent" },
      text,
    );
  }
  assert.deepEqual(ledgerOf("events", "Subevents and webhooks: not shown.").finish(), {
    events: "silent",
    webhooks: "not shown",
    notifications: "silent",
  });
});

test("a sentence below a heading of level 3 is description", () => {
  assert.equal(ledgerOf("events", "### A\n\nEvents: not shown.").finish()["events"], "silent");
});

test("no scheme answers all three items of authentication, and one of versioning", () => {
  assert.deepEqual(ledgerOf("authentication", "- Scheme: none").finish(), {
    scheme: "none",
    credentials: "none",
    placement: "none",
  });
  assert.deepEqual(ledgerOf("authentication", "- Scheme: not shown").finish(), {
    scheme: "not shown",
    credentials: "silent",
    placement: "silent",
  });
  assert.deepEqual(ledgerOf("versioning", "- Scheme: none\n- Compatibility: TBD").finish(), {
    "version scheme": "none",
    "compatibility rules": "not shown",
  });
});

test("TBD and the like are gaps with a note", () => {
  const { reporter } = ledgerOf("events", "- Webhooks: TBD");
  assert.deepEqual(
    reporter.diagnostics.map((diagnostic) => diagnostic.code),
    ["document/loose-gap"],
  );
});

test("an item stated twice with different values is reported at both positions, and stays a gap", () => {
  const { reporter, ledger, finish, source } = ledgerOf(
    "events",
    "- Webhooks: not shown\n- Webhooks: to Hook.url",
  );
  ledger.state("webhooks", positionOf(source, 40, 50));
  assert.equal(finish()["webhooks"], "not shown");
  const reported = reporter.diagnostics.find((diagnostic) => diagnostic.code === "document/contradiction");
  assert.equal(reported?.position.start.offset, 40);
  assert.equal(reported?.related[0]?.position.start.line, 3);
});

test("a silent item is reported with the line to add", () => {
  const { reporter, finish } = ledgerOf("states", "");
  finish();
  const reported = reporter.diagnostics.find(
    (diagnostic) =>
      diagnostic.code === "document/silent" && diagnostic.message.includes("mention transitions"),
  );
  assert.equal(reported?.hint, "Add `- Transitions: not shown` under `## States and transitions`.");
  assert.equal(reported?.position.start.line, 1);
});

test("a smaller gap is reported once and keeps its item from being silent", () => {
  const { reporter, ledger, finish, source } = ledgerOf("limits", "");
  const position = positionOf(source, 3, 9);
  ledger.gap("limits", "pagination bounds", "the maximum of a page", position);
  ledger.gap("limits", "pagination bounds", "the maximum of a page", position);
  assert.equal(finish()["pagination bounds"], "not shown");
  assert.equal(
    reporter.diagnostics.filter((diagnostic) => diagnostic.code === "document/smaller-gap").length,
    1,
  );
});
