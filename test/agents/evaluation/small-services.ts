/**
 * Tasks to write a small service: from prose, and from an OpenAPI description with what it can't
 * say.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../../src/compile.ts";
import { chunksOf } from "../../../src/language-server/chunks.ts";
import { openapiDocument } from "../../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../../src/outputs/wire/build-wire.ts";
import { edited, type Task } from "./task.ts";

interface Service {
  readonly name: string;
  readonly about: string;
  /** What an OpenAPI description can't express. Absent if there is no import task. */
  readonly unsaid?: string;
  readonly wrong: Readonly<Record<string, readonly (readonly [find: string, replace: string])[]>>;
}

const services: readonly Service[] = [
  {
    name: "notes",
    about: `A service for notes, open to anyone. A note has a number (\`id\`, counted from 1), a \`text\` of 1 to 200
characters, and the time \`made_at\`, which clients can't set. \`POST /notes\` creates one and answers 201
with it. \`GET /notes\` answers a plain JSON list of all, by number. \`GET\`, \`PATCH\` and \`DELETE\` are at
\`/notes/{id}\`; DELETE answers 204. A value that is missing or not accepted is answered 422, an unknown note 404.`,
    unsaid: `Notes are counted from 1. The list is by number, and has no pages. A wrong value is answered 422.`,
    wrong: {
      "a text may be empty": [["required, length 1..200", "required, length 0..200"]],
      "the list has no order of its own": [["- Order: id ascending", "- Order: id descending"]],
      "a wrong value is a 400": [["| wrong_value   | 422", "| wrong_value   | 400"]],
    },
  },
  {
    name: "todos",
    about: `A service for a to-do list, open to anyone. A todo has a number \`id\` (counted from 1), a \`title\` of 1 to 100
characters, a \`status\` (open, done or archived) and \`done_at\`. New ones are open. \`POST /todos\` creates,
\`GET /todos\` lists by number as a plain JSON list (with \`?status=\` only those), \`GET /todos/{id}\` reads.
\`POST /todos/{id}/finish\` makes an open one done and answers it; of any other it is answered 409. What has
been done for 30 days is archived by itself.`,
    unsaid: `A todo starts open. Finish makes an open one done, and is answered 409 for others. After 30 days a done one
is archived by itself. The list is by number, without pages; ids are counted from 1.`,
    wrong: {
      "nothing is archived": [
        ["| expire     | done | archived | after 30 days |       |                 |\n", ""],
      ],
      "finish may be repeated": [["| finish     | open |", "| finish     | open, done |"]],
    },
  },
  {
    name: "votes",
    about: `A service that counts votes, open to anyone. \`POST /polls\` takes a \`question\` (1 to 200 characters) and answers
201 with the poll: \`id\` (counted from 1), \`question\` and \`votes\`, the number of its votes. \`GET /polls/{id}\`
reads it. \`POST /polls/{id}/votes\` takes \`voter\`, an e-mail address, and answers 201. Each address votes once in a
poll, in upper or lower case; a second time is answered 409, no address 422, an unknown poll 404.`,
    unsaid: `An address votes once in a poll, in whatever case it is written: else 409. \`votes\` is the number of votes.
Polls are counted from 1. A wrong value is answered 422.`,
    wrong: {
      "an address may vote twice": [["- Unique: poll, voter\n", ""]],
      "case distinguishes addresses": [["required, immutable, lower case", "required, immutable"]],
      "votes are not counted": [["`Vote.count(v, v.poll == this)`", "`0`"]],
    },
  },
  {
    name: "stock",
    about: `A service for a store room. People (\`Person\`: \`name\`, \`role\` clerk or manager, \`key\` a credential) send their
key as \`X-Key\`; without one it is 401. Items have \`id\` (counted from 1), a \`name\` that no other has, and a
\`quantity\` from 0 to 10000. Managers create them (\`POST /items\`, 201) and change the quantity
(\`PATCH /items/{id}\`); a clerk gets 403. Both read (\`GET /items/{id}\`). A name that is taken is 409, a wrong value 422.`,
    unsaid: `Managers alone create and change items: others get 403. \`Person\` has \`name\`, \`role\` (clerk or manager) and \`key\`,
which is sent as \`X-Key\`. No two items have one name (409). Items are counted from 1. A wrong value is 422.`,
    wrong: {
      "clerks create items": [
        [
          '- Does: create Item\n- Allowed: `caller.role == "manager"`',
          "- Does: create Item\n- Allowed: `true`",
        ],
      ],
      "names may repeat": [
        ["| name     | string  | required, unique   |", "| name     | string  | required   |"],
      ],
    },
  },
  {
    name: "links",
    about: `A service for short links, open to anyone. \`POST /links\` takes \`slug\` (3 to 30 of a-z, 0-9 and -) and \`url\`,
and answers 201 with \`slug\`, \`url\`, \`visits\` (0 at first) and \`status\` (active at first). A slug that is taken
is 409, a wrong value 422. \`GET /links/{slug}\` reads a link. \`POST /links/{slug}/visits\` adds one to its visits and
answers it. 30 days after it was made a link is expired by itself: then a visit is 409.`,
    wrong: {
      "a link never expires": [["after 30 days", "after 40 days"]],
      "visits are not counted": [["`visits = this.visits + 1`", "`visits = this.visits`"]],
    },
  },
];

const rightOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, "right", `${name}.md`), "utf8");

function scenariosOf(text: string): string {
  return chunksOf(text)
    .filter(({ part, section }) => part === "purpose" && section !== "")
    .map((chunk) => chunk.text)
    .join("");
}

const form =
  "Write it as `service.md`, an interface specification for Ninefold. `ninefold check service.md` must report no error.";

function tasksOf({ name, about, unsaid, wrong }: Service): readonly Task[] {
  const right = rightOf(name);
  const shared = {
    judge: { by: "scenarios", scenarios: scenariosOf(right) },
    right: { "service.md": right },
    wrong: Object.fromEntries(
      Object.entries(wrong).map(([why, edits]) => [why, { "service.md": edited(right, edits) }]),
    ),
  } as const;
  const { model } = compile(right, { file: `${name}.md` });
  if (!model) throw new Error(`${name}.md can't be read.`);
  const written: Task = {
    ...shared,
    name: `write-${name}`,
    kind: "write",
    text: `${about}\n\n${form}`,
    start: {},
  };
  if (unsaid === undefined) return [written];
  const openapi = openapiDocument(wireOf(model), "3.1", []);
  return [
    written,
    {
      ...shared,
      name: `import-${name}`,
      kind: "import",
      text: `\`openapi.json\` describes a service. What it doesn't say: ${unsaid}\n\n${form}`,
      start: { "openapi.json": JSON.stringify(openapi, null, 2) },
    },
  ];
}

export const smallServices: readonly Task[] = services.flatMap(tasksOf);
