/** `ninefold new`: command tests. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../../../test/own-folder.ts";
import { compile } from "../../compile.ts";
import { callerKinds } from "../empty-document.ts";
import { main } from "../main.ts";
import { runCommand as run } from "../testing/run-command.ts";

const folder = ownFolder("new");
const at = (name: string) => join(folder, name);

/** `ninefold new` on a terminal whose user types these lines, one for each question. */
async function typed(file: string, lines: readonly string[]) {
  const left = [...lines];
  const questions: string[] = [];
  let reportts = "";
  const code = await main(["new", file], {
    write: () => {},
    printError(text) {
      reportts += text;
    },
    isTerminal: true,
    colour: false,
    environment: {},
    async prompt(question) {
      questions.push(question);
      return left.shift();
    },
  });
  return { code, questions, reportts };
}

function judged(file: string) {
  const { model, diagnostics } = compile(readFileSync(file, "utf8"), { file });
  return {
    model,
    errors: diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    open: model?.ledger.filter(({ answer }) => answer === "not shown" || answer === "silent").length,
  };
}

test("on a terminal, new has three questions, writes the answers, and leaves the rest as gaps", async () => {
  const file = at("bookings.md");
  const { code, questions } = await typed(file, ["books meeting rooms.", "meeting room", "programs"]);
  assert.equal(code, 0);
  assert.equal(questions.length, 3);
  const { model, errors, open } = judged(file);
  assert.deepEqual(errors, []);
  assert.equal(model?.name, "Bookings");
  assert.equal(model?.purpose.purpose, "books meeting rooms.");
  assert.deepEqual(
    model?.resources.map(({ name }) => name),
    ["MeetingRoom", "ApiKey"],
  );
  assert.equal(model?.authentication.schemes[0]?.name, "key");
  assert.equal(open, 20);
});

test("an unusable answer is requested again, and an empty one leaves its question open", async () => {
  const file = at("again.md");
  const { questions, reportts } = await typed(file, ["", "book/ing", "Booking", "ghosts only", ""]);
  assert.equal(questions.length, 5);
  assert.match(reportts, /"book\/ing" can't be the name of a resource\. Write a noun/);
  assert.match(reportts, /Callers are one of anyone, programs, people/);
  const { model, errors } = judged(file);
  assert.deepEqual(errors, []);
  assert.equal(model?.purpose.purpose, undefined);
  assert.deepEqual(
    model?.resources.map(({ name }) => name),
    ["Booking"],
  );
});

test("a name in use, a sentence as a name, and an invisible character are rejected with the reason", async () => {
  const file = at("in-use.md");
  const { questions, reportts } = await typed(file, [
    "books \u202Erooms",
    "books rooms",
    "Request",
    "a thing that people book in the morning",
    "Room",
    "people",
  ]);
  assert.equal(questions.length, 6);
  assert.match(reportts, /Invisible character: the control character U\+202E/);
  assert.match(reportts, /The resource name "Request" is not allowed/);
  assert.match(reportts, /"a thing that people book in the morning" can't be the name of a resource/);
  const { model, errors } = judged(file);
  assert.deepEqual(errors, []);
  assert.equal(model?.purpose.purpose, "books rooms.");
  const { code, complaints } = await run("new", at("in-use-too.md"), "--resource", "Event");
  assert.equal(code, 2);
  assert.match(complaints, /The resource name "Event" is not allowed/);
});

test("if the input ends or has no answers, the empty form is written", async () => {
  await typed(at("ended.md"), []);
  await typed(at("nothing.md"), ["", " ", ""]);
  await run("new", at("plain.md"));
  const plain = readFileSync(at("plain.md"), "utf8").replace("Plain", "");
  assert.equal(readFileSync(at("ended.md"), "utf8").replace("Ended", ""), plain);
  assert.equal(readFileSync(at("nothing.md"), "utf8").replace("Nothing", ""), plain);
});

test("there is no question if the file exists", async () => {
  writeFileSync(at("there.md"), "mine");
  const { code, questions, reportts } = await typed(at("there.md"), ["a"]);
  assert.equal(code, 3);
  assert.deepEqual(questions, []);
  assert.match(reportts, /there\.md/);
  assert.equal(readFileSync(at("there.md"), "utf8"), "mine");
});

test("every combination of answers gives a document without mistakes", async () => {
  for (const purpose of [undefined, "follows parcels, from the desk to the door"])
    for (const resource of [undefined, "Parcel", "ApiKey"])
      for (const callers of [undefined, ...callerKinds]) {
        const given = Object.entries({ purpose, resource, callers }).flatMap(([name, text]) =>
          text === undefined ? [] : [`--${name}`, text],
        );
        const { out } = await run("new", ...given);
        const { diagnostics } = compile(out, { file: "new.md" });
        assert.deepEqual(
          diagnostics.filter(({ kind }) => kind === "mistake").map(({ message }) => message),
          [],
          given.join(" "),
        );
      }
});

test("with --agents, AGENTS.md says how an agent works with this document, and is never overwritten", async () => {
  const file = at("lending.md");
  assert.equal((await run("new", file, "--bare", "--agents")).code, 0);
  const text = readFileSync(at("AGENTS.md"), "utf8");
  assert.match(text, /^# Work with Ninefold\n/);
  assert.match(text, /ninefold check lending\.md\b/);
  assert.match(text, /--seed lending\.seed\.md/);
  assert.doesNotMatch(text, /service\.md/);
  const again = await run("new", at("other.md"), "--bare", "--agents");
  assert.equal(again.code, 3);
  assert.match(again.complaints, /AGENTS\.md/);
  assert.equal(existsSync(at("other.md")), false);
});

test("an example comes with its seed, and with its handlers under the new name", async () => {
  const desk = at("desk.md");
  const { code, out } = await run("new", desk, "--example", "parcel-desk");
  assert.equal(code, 0);
  assert.match(out, /`ninefold serve \S+desk\.md --seed \S+desk\.seed\.md --watch`/);
  assert.match(readFileSync(at("desk.seed.md"), "utf8"), /Given/);
  await run("new", at("quotes.md"), "--example", "delivery-quotes");
  assert.match(readFileSync(at("quotes.ts"), "utf8"), /from "\.\/quotes\.types\.ts"/);
  const tested = await run("test", at("quotes.md"));
  assert.equal(tested.code, 0, tested.out);
  writeFileSync(at("other.seed.md"), "");
  const refused = await run("new", at("other.md"), "--example", "parcel-desk");
  assert.deepEqual([refused.code, existsSync(at("other.md"))], [3, false]);
});
