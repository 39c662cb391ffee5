/**
 * Missing inputs: an input that a client omits or sends as null never causes a 5xx. The test covers
 * every way an endpoint accepts a field, with every rule about presence, in every operation,
 * requested without a value, with null and with a value. It skips documents that `check` rejects.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

const fieldRules = [
  "",
  "required",
  "nullable",
  'default "d"',
  'required, default "d"',
  "required, unique",
  "required, empty is null, trimmed",
  "required, length 2..9",
  "required, immutable",
];

/**
 * The ways in which an endpoint accepts the field: items, and rows of its table of inputs. `in` is
 * the location of a sent value.
 */
const ways: readonly { readonly items?: string; readonly row?: string; readonly in: string }[] = [
  { items: "- Body: name", in: "name" },
  { items: "- Body: name?", in: "name" },
  { row: "| title | body | | | name |", in: "title" },
  { row: "| title | body | | required | name |", in: "title" },
  { row: "| title | body | | required when made | name |", in: "title" },
  { row: '| title | body | | default "given" | name |', in: "title" },
  { row: "| X-Name | header | | | name |", in: "X-Name" },
  { row: "| title | query | | | name |", in: "?title" },
  { row: "| a.title | body | | | name |", in: "a.title" },
  { row: "| title | body | string | | |", items: "- Set: `name = body.title`", in: "title" },
  { row: "| title | body | string | | |", items: "- Set: `name = trim(body.title)`", in: "title" },
  {
    row: "| title | body | string | | |",
    items: '- Set: `name = body.title when body.title != "x"`',
    in: "title",
  },
  {
    row: "| title | body | string | | |",
    items: "- Let: t = `body.title`\n- Set: `name = t`",
    in: "title",
  },
  {
    row: "| title | body | string | | |",
    items: "- Set: `note = body.title; name = this.note`",
    in: "title",
  },
  { row: "| title | body | string | | |", items: "- Set: `where = {'city': body.title}`", in: "title" },
  { row: "| title | body | string | | |", items: "- Effect: `name = body.title`", in: "title" },
  {
    row: "| title | body | string | | |",
    items: "- Effect: `create Note with name = body.title`",
    in: "title",
  },
  {
    row: "| title | body | string | | |",
    items: "- Effect: `do relabel on Note where this.seen with label = body.title`",
    in: "title",
  },
  { items: "- Then: rename\n- Body: why?", in: "why" },
];

const operations = [
  ["POST", "/notes", "create Note"],
  ["PATCH", "/notes/{id}", "update Note"],
  ["PUT", "/notes/{id}", "replace Note"],
  ["PUT", "/notes/{id}", "upsert Note"],
  ["PUT", "/names/{name}", "upsert Note"],
  ["POST", "/notes/{id}/rename", "rename Note"],
  ["POST", "/notes/{id}/relabel", "relabel Note"],
  ["POST", "/notes/{id}/touch", "touch Note"],
] as const;

const resources = (rules: string, identifier: string) => `### Note

- Identifier: id, ${identifier}

| Field | Type | Rules |
|---|---|---|
| id | string | |
| name | string | ${rules} |
| note | string | |
| seen | boolean | default true |
| where | object | default \`{"city": "Ulm"}\` |
| where.city | string | ${rules.replace(/, (unique|immutable)/, "")} |`;

const states = `### Note

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| rename | any | same | call | | \`name = body.why\` |
| relabel | any | same | call | | \`name = body.label\` |
| touch | any | same | call | | \`seen = true\` |`;

interface RequestedValue {
  readonly text: string;
  readonly method: string;
  readonly path: string;
  readonly in: string;
}

function endpoint(
  prefix: string,
  way: (typeof ways)[number],
  operation: (typeof operations)[number],
): RequestedValue {
  const [method, path, does] = operation;
  const id = does === "create Note" ? "\n- Body: id" : "";
  const label = does === "relabel Note" ? "\n| label | body | string | | |" : "";
  const head = "| Input | In | Type | Rules | Field |\n|---|---|---|---|---|";
  const rows = [way.row, label.trim()].filter((row) => row !== undefined && row !== "");
  const text = `### ${method} /${prefix}${path}\n\n- Does: ${does}${id}\n${way.items ?? ""}\n- Returns: 200 Note${
    rows.length === 0 ? "" : `\n\n${head}\n${rows.join("\n")}`
  }`;
  return { text, method, path: `/${prefix}${path}`, in: way.in };
}

const given = `### POST /given

- Does: create Note
- Body: id, name
- Returns: 201 Note`;

function hasMistakes(text: string): boolean {
  return compile(text, { file: "left-out.md" }).diagnostics.some(
    (diagnostic) => diagnostic.severity === "error",
  );
}

/**
 * Returns the parts of a request with this input: absent, null, or a value. Further inputs are
 * absent if it is.
 */
function sentFor(place: string, value: string | null | undefined, isNew: boolean) {
  const id = isNew ? { id: `new${Math.abs(value?.length ?? 0)}` } : {};
  if (value === undefined) return { query: "", headers: {}, body: id };
  if (place.startsWith("?")) return { query: `${place}=${value ?? ""}`, headers: {}, body: id };
  if (place === "X-Name") return { query: "", headers: { [place]: value ?? "" }, body: id };
  const [first = "", second] = place.split(".");
  return {
    query: "",
    headers: {},
    body: { ...id, [first]: second === undefined ? value : { [second]: value } },
  };
}

for (const rules of fieldRules) {
  test(`a missing input of a field that is "${rules}" never causes a 5xx`, async (t) => {
    const withEndpoints = (endpoints: readonly string[]) =>
      smallDocument({ resources: resources(rules, "given"), states, endpoints: endpoints.join("\n\n") });
    const requested = ways.flatMap((way, at) =>
      operations.flatMap((operation, which) => {
        const entry = endpoint(`w${at}o${which}`, way, operation);
        return hasMistakes(withEndpoints([given, entry.text])) ? [] : [entry];
      }),
    );
    const served = await serveDocument(withEndpoints([given, ...requested.map((entry) => entry.text)]));
    t.after(() => served.close());
    assert.equal((await served.send("POST", "/given", { body: { id: "there", name: "there" } })).status, 201);
    const broken: string[] = [];
    for (const entry of requested) {
      for (const value of [undefined, null, "", "x", "abc"]) {
        for (const name of ["there", `made${broken.length}`]) {
          const { query, headers, body } = sentFor(entry.in, value, entry.method === "POST");
          const path = entry.path.replace(/\{\w+\}/, name) + query;
          const { status, body: answer } = await served.send(entry.method, path, { headers, body });
          // A sent value may break a rule because of a `Set`, which is the document's own mistake
          // (part 2).
          if (status >= 500 && (value === undefined || value === null || value === "abc"))
            broken.push(
              `${entry.text}\n${entry.method} ${path} ${JSON.stringify(body)} → ${status} ${answer}`,
            );
        }
      }
    }
    assert.equal(
      broken.length,
      0,
      `${broken.length} of ${requested.length}: ${broken.slice(0, 2).join("\n")}`,
    );
    assert.ok(requested.length > 60, `${requested.length} endpoints`);
  });
}
