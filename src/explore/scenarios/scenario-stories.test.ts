/** Tests of scenarios as stories: which of their texts differ from story to story. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { nonNull } from "../../support/non-null.ts";
import { scenarioStories } from "./scenario-stories.ts";

const madeIdentifier = "- Identifier: id, made by `uuid()`";

const document = (unique: string, rules: string, identifier: string) => `# Interface Specification: Shelf

## What the service does

### Scenario: a box

\`\`\`http
POST /boxes
Content-Type: application/json

{"label": "blue", "kind": "small", "place": 3, "note": "top"}
\`\`\`

\`\`\`http
HTTP/1.1 201
\`\`\`

## Resources and their fields

### Box

${identifier}
${unique}

| Field | Type | Rules |
|---|---|---|
| label | string | ${rules} |
| kind | one of small, large | |
| place | integer | |
| note | string | |

## States and transitions

none

## Endpoints

### POST /boxes

- Does: create Box
- Allowed: anyone
- Body: label, kind, place, note
- Returns: 201 Box

## Authentication

none

## Events

none

## Errors

none

## Limits

none

## Versioning

none
`;

const uniqueTexts = (unique: string, rules: string, identifier = madeIdentifier): readonly string[] => {
  const { model, diagnostics } = compile(document(unique, rules, identifier), { file: "shelf.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  const [story] = scenarioStories(nonNull(model));
  return [...nonNull(story).uniqueTexts];
};

test("texts of unique fields, and of fields that are unique together, differ from story to story", () => {
  assert.deepEqual(uniqueTexts("", "required, unique"), ["blue"]);
  assert.deepEqual(uniqueTexts("- Unique: label, kind, place", "required"), ["blue"]);
  assert.deepEqual(uniqueTexts("", "required, unique, length ..10"), ["blue"]);
  assert.deepEqual(uniqueTexts("", "required"), []);
});

test("texts of identifiers that callers give differ from story to story", () => {
  assert.deepEqual(uniqueTexts("", "", "- Identifier: label, given"), ["blue"]);
});

test("a text stays as it is if the text of a run would break the rules of its field", () => {
  assert.deepEqual(uniqueTexts("", "required, unique, length ..9"), []);
  assert.deepEqual(uniqueTexts("", "required, unique, pattern ^[a-z]{4}$"), []);
});
