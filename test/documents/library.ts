/**
 * Library document: a small lending library in which a test can replace single parts. The other
 * parts are always the same.
 */
import { type Compilation, compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { type PartName, partNames, partTitles } from "../../src/syntax/nodes.ts";

const library: Readonly<Record<PartName, string>> = {
  purpose:
    "- Purpose: lends books.\n- Domain: libraries.\n- Behaviour: a book is lent to one reader at a time.",
  resources: `### Account

- Identifier: sid, made by \`"AC" + random(32)\`

| Field | Type | Rules |
|---|---|---|
| auth_token | credential | on create \`random(32)\`, shown once |
| name | string | required |
| version | string | default \`"v1"\` |

### Key

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| secret | credential | on create \`random(32)\`, shown once |
| account | Account | required |
| signing | string | |

### Book

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| account | Account | |
| pages | integer | |
| status | state | |
| callback | uri | nullable |
| contact | Contact | |

### Contact

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| url | uri | |
| email | email | |

### Hook

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| url | uri | required |
| secret | string | |
| account | Account | |
| events | list of string | |
| form | boolean | |

### Notice

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| type | string | |`,
  states: `### Book

- State field: status
- Initial state: free

| Transition | From | To | Trigger |
|---|---|---|---|
| lend | free | lent | call |
| give_back | lent | free | call |`,
  endpoints: `### GET /books

- Does: list Book
- Returns: 200 list of Book

### POST /books

- Does: create Book
- Body: title, pages?
- Returns: 201 Book

### GET /books/{id}

- Does: read Book
- Let: \`total = Book.count()\`
- Returns: 200 Book

### POST /books/{id}/give-back

- Does: give_back Book
- Returns: 200 Book

### POST /books/{id}/lend

- Does: lend Book
- Returns: 200 Book`,
  authentication: `### Scheme: key

- Placement: header Authorization, after Bearer
- Credentials: Key by secret, for account`,
  events: "- Events: none\n- Webhooks: none\n- Notifications: none",
  errors:
    "- Payload shape: problem details\n\n| Code | Status | When |\n|---|---|---|\n| not_found | 404 | not found |",
  limits: "- Rate limits: none\n- Size limits: none\n- Time-outs: none\n- Pagination bounds: none",
  versioning: "- Scheme: none\n- Compatibility: none",
};

/** The document's text, with some parts replaced. */
export function libraryText(parts: Partial<Record<PartName, string>> = {}): string {
  const written = partNames.map((part) => `## ${partTitles[part]}\n\n${parts[part] ?? library[part]}\n`);
  return `# Interface Specification: Library\n\n${written.join("\n")}`;
}

export function compileLibrary(parts: Partial<Record<PartName, string>> = {}): Compilation {
  return compile(libraryText(parts), { file: "library.md" });
}

/**
 * The model of a document that should have no errors; an error is a mistake in the test. Warnings
 * are allowed, because small test documents may cause some.
 */
export function libraryModel(parts: Partial<Record<PartName, string>> = {}): Model {
  const { model, diagnostics } = compileLibrary(parts);
  const mistakes = diagnostics.filter(({ kind, severity }) => kind === "mistake" && severity === "error");
  if (mistakes.length === 0 && model) return model;
  const reported = mistakes.map(({ code, message, position }) => `${position.start.line} ${code} ${message}`);
  throw new Error(`the document has mistakes:\n${reported.join("\n")}`);
}
