/**
 * Misplaced blocks: no notation is lost silently in a wrong place. Every item, table and block of
 * the examples and of the notation's proofs is inserted into every kind of place of a document.
 * `check` reports it wherever nothing reads it. This runs a sample; NINEFOLD_RUNS=100 runs all.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";

/** A document with every kind of place for text, each with its heading. */
const base = `# Interface Specification: Places

## What the service does

- Purpose: places.

### Domain

Tests.

### Remarks

Of no matter.

### Given: a kind

- Given: \`Kind with code = "b" as kind\`

### Scenario: a thing is made

- Given: a kind

\`\`\`http
POST /things

{"name": "a"}
\`\`\`

\`\`\`http
HTTP/1.1 201
\`\`\`

## Resources and their fields

### Thing

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| size | Size | |
| status | state | |
| loud | string | |

### Thing.loud

\`\`\`cel
this.name + "!"
\`\`\`

### Size

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| wide | integer | |

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | |

### Kind

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | |

### Records of Kind

| code |
|---|
| a |

## States and transitions

### Thing

- State field: status
- Initial state: open

| Transition | From | To | Trigger |
|---|---|---|---|
| close | open | shut | call |

### Thing: close

- Effect: \`name = "closed"\`

## Endpoints

- Base path: /

### /things

- Header: X-Things: \`"yes"\`

### POST /things

- Does: create Thing
- Body: name
- Returns: 201 Thing

### /things/{id}

- Is: Thing

### POST /things/{id}/close

- Does: close Thing
- Returns: 200 Card

### GET /kinds

- Does: list Kind
- Pagination: none
- Returns: 200 list of Kind

### Remarks on endpoints

Of no matter.

### Shape: Card of Thing

\`\`\`cel
{"name": this.name}
\`\`\`

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: User by key

## Events

### What happens

| Event | When | Payload |
|---|---|---|
| thing.made | Thing created | Note |

### Shape: Note of Thing

\`\`\`cel
{"name": this.name}
\`\`\`

## Errors

- Payload shape: problem details

### Codes

| Code | Status | When |
|---|---|---|
| not_there | 404 | not found |

### Shape: Wrong

\`\`\`cel
{"wrong": error.code}
\`\`\`

## Limits

### Rates

| Limit | Bound | Applies to |
|---|---|---|
| rate | 60 per minute | address |

## Versioning

- Scheme: header Version
- Default: current

| Version | Status | Until | Changes |
|---|---|---|---|
| v2 | current | | |
| v1 | supported | | |

### Changes in v2

- Renamed: Thing.title to Thing.name
`;

/** The pieces of the document: heading and text, in order. */
const pieces = base.split(/^(?=#{1,3} )/m);

const meaningOf = (model: unknown) =>
  JSON.stringify(model, (key, value) => (/^position$|At$|Position$|^prose$/.test(key) ? undefined : value));

function read(text: string) {
  const { model, diagnostics } = compile(text, { file: "places.md" });
  const reported = diagnostics.filter(({ kind, severity }) => kind === "gap" || severity !== "note");
  return {
    meaning: meaningOf(model),
    reported: new Map(reported.map(({ code, message }) => [`${code} ${message}`, code])),
  };
}

/**
 * Returns one block of each kind from the documents: items by their key, tables by their columns,
 * blocks by their language.
 */
function blocksOf(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (name: string, text: string) => {
    if (!found.has(name)) found.set(name, text);
  };
  const files = [...filesUnder("examples", ".md"), ...filesUnder("test/coverage", ".md"), "docs/notation.md"];
  for (const file of files) {
    const text = readFileSync(pathOf(file), "utf8");
    for (const [line, key = ""] of text.matchAll(/^- (\p{Lu}[\p{L} -]{0,20}): *[^ \n].*$/gmu))
      add(`- ${key}`, line);
    for (const [table, head = "", row = ""] of text.matchAll(/^(\|.*\|)\n\|[-|: ]+\|\n(\|.*\|)$/gm)) {
      const columns = head.split("|").map((column) => column.trim());
      if (table.includes("…") || !known.has(columns[1] ?? "")) continue;
      add(`| ${columns[1]}`, `${head}\n${"|---".repeat(columns.length - 2)}|\n${row}`);
    }
  }
  // Blocks of `http` and `json` outside of scenarios are examples.
  add("cel", "```cel\n1\n```");
  return found;
}

/** The first columns of the notation's tables. */
const known = new Set(["Field", "Transition", "Input", "Event", "Code", "Limit", "Version"]);

const blocks = blocksOf();

/** The step is a prime, so that over time every block meets every kind of place. */
const step = Number(process.env["NINEFOLD_RUNS"] ?? 1) >= 100 ? 1 : 7;
let tried = 0;
const whole = read(base);

test("the document with all places has no mistake", () => {
  assert.deepEqual(
    [...whole.reported.values()].filter((code) => !code.startsWith("document/")),
    [],
  );
});

for (const [at, piece] of pieces.entries()) {
  const heading = piece.split("\n", 1)[0] ?? "";
  test(`a block under "${heading}" is read or reported`, () => {
    const silent: string[] = [];
    for (const [name, block] of blocks) {
      tried += 1;
      if (tried % step !== 0) continue;
      const placed = pieces.with(at, `${piece.trimEnd()}\n\n${block}\n\n`).join("");
      const { meaning, reported } = read(placed);
      if (meaning === whole.meaning && [...reported.keys()].every((line) => whole.reported.has(line)))
        silent.push(name);
    }
    assert.deepEqual(silent, []);
  });
}
