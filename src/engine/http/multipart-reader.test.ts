/** Multipart parsing: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormNode } from "../../fields/form.ts";
import { randomBytes } from "node:crypto";
import { readMultipart } from "./multipart-reader.ts";

async function sent(form: FormData): Promise<[Uint8Array, string]> {
  const response = new Response(form);
  const type = response.headers.get("content-type") ?? "";
  return [new Uint8Array(await response.arrayBuffer()), type];
}

function read(text: string, type = "multipart/form-data; boundary=b") {
  return readMultipart(Buffer.from(text.replaceAll("\n", "\r\n"), "latin1"), type);
}

function formOf(result: ReturnType<typeof readMultipart>): FormNode {
  assert.equal(result.problem, undefined);
  return result.form as FormNode;
}

const part = (head: string, content = "x") => `--b\n${head}\n\n${content}\n`;
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;

test("a form that fetch sends is parsed to the same bytes and names", async () => {
  const bytes = new Uint8Array([...randomBytes(20_000), 13, 10, 45, 45, 13, 10]);
  const form = new FormData();
  form.append("title", "grüß\r\n--dich");
  form.append("address[city]", "Paris");
  form.append("tags[]", "a");
  form.append("tags[]", "b");
  form.append("photo", new File([bytes], 'a "b" ü.png', { type: "image/png" }));
  form.append("empty", new File([], "nothing.bin"));
  const { parts } = formOf(readMultipart(...(await sent(form))));
  assert.deepEqual(parts?.get("title")?.texts, ["grüß\r\n--dich"]);
  assert.deepEqual(parts?.get("address")?.parts?.get("city")?.texts, ["Paris"]);
  assert.deepEqual(
    parts?.get("tags")?.items?.map(({ texts }) => texts[0]),
    ["a", "b"],
  );
  const [photo] = parts?.get("photo")?.files ?? [];
  assert.equal(photo?.name, 'a "b" ü.png');
  assert.equal(photo?.type, "image/png");
  assert.deepEqual(Buffer.from(photo?.bytes ?? []), Buffer.from(bytes));
  assert.equal(parts?.get("empty")?.files?.[0]?.bytes.byteLength, 0);
});

test("a field without a chosen file is absent, and folders are removed from file names", () => {
  const { parts } = formOf(
    read(
      `${part(`${named("a")}; filename=""`, "")}${part(`${named("b")}; filename="C:\\\\x\\\\y.txt"`)}${part(`${named("c")}; filename=/x/z`)}--b--`,
    ),
  );
  assert.equal(parts?.get("a"), undefined);
  assert.equal(parts?.get("b")?.files?.[0]?.name, "y.txt");
  assert.equal(parts?.get("c")?.files?.[0]?.name, "z");
});

test("content before the first boundary and after the last one is ignored", () => {
  const { parts } = formOf(read(`hello\n${part(named("a"))}--b--\nbye`));
  assert.deepEqual(parts?.get("a")?.texts, ["x"]);
  assert.equal(formOf(read("--b--")).parts, undefined);
});

test("a part is parsed by its own Content-Type", () => {
  const { parts } = formOf(
    read(
      [
        part(`${named("address")}\nContent-Type: application/json`, '{"city": "Paris"}'),
        part(`${named("tags")}\nContent-Type: application/json`, '"a"'),
        part(`${named("tags")}\nContent-Type: application/vnd.tag+json; charset=utf-8`, "1"),
        part(`${named("note")}\nContent-Type: text/plain; charset="UTF-8"`, "x"),
        part(`${named("photo")}\nContent-Type: image/png`, "\x89PNG"),
        "--b--",
      ].join(""),
    ),
  );
  assert.deepEqual(parts?.get("address")?.json, [{ city: "Paris" }]);
  assert.deepEqual(parts?.get("tags")?.json, ["a", 1]);
  assert.deepEqual(parts?.get("note")?.texts, ["x"]);
  const [photo] = parts?.get("photo")?.files ?? [];
  assert.deepEqual([photo?.name, photo?.type, photo?.bytes.byteLength], ["", "image/png", 4]);
});

test("a file name is decoded by RFC 8187, without characters that hide or reorder it", () => {
  const nameOf = (parameters: string) => {
    const form = formOf(read(`${part(`Content-Disposition: form-data; ${parameters}`)}--b--`));
    return form.parts?.get("a")?.files?.[0]?.name;
  };
  assert.equal(nameOf(`name="a"; filename="n.txt"; filename*=UTF-8''na%C3%AFve.txt`), "na\u00efve.txt");
  assert.equal(nameOf(`filename*=iso-8859-1'en'na%EFve.txt; name=a`), "na\u00efve.txt");
  assert.equal(nameOf(`name="a"; filename="n.txt"; filename*=UTF-8''%ff`), "n.txt");
  assert.equal(nameOf(`name="a"; filename="n.txt"; filename*=koi8-r''x`), "n.txt");
  assert.equal(nameOf(`name="a"; filename*=UTF-8''..%2Fx%2Fy.txt`), "y.txt");
  assert.equal(nameOf(`name="a"; filename="a%0D%0Ab\x07\x7f.txt"`), "ab.txt");
  assert.equal(nameOf(`name="a"; filename*=UTF-8''a%E2%80%AEtxt.exe`), "atxt.exe");
  // Quoted text contains no parameter.
  assert.equal(nameOf(`filename="x; name=y"; name="a"`), "x; name=y");
});

const refused: readonly (readonly [string, string, string?])[] = [
  ["a boundary is missing", part(named("a"))],
  ["a boundary is missing", ""],
  ["a boundary is missing", "--c\n--c--"],
  ["its Content-Type has no boundary", `${part(named("a"))}--b--`, "multipart/form-data"],
  ["its Content-Type has no boundary", "--b--", `multipart/form-data; boundary=${"b".repeat(71)}`],
  ["the head of a part can't be read", "--b\nno head"],
  ["the head of a part can't be read", "--bb\n\nx\n--b--"],
  ["the head of a part can't be read", `${part(`${named("a")}\nX: ${"x".repeat(5000)}`)}--b--`],
  ["the head of a part is not UTF-8", `${part(named("\xff"))}--b--`],
  ["a part has no name", `${part("X: y")}--b--`],
  ["a part has no name", `${part(named(""))}--b--`],
  ['the part "a" is encoded (base64)', `${part(`${named("a")}\nContent-Transfer-Encoding: base64`)}--b--`],
  ['the part "a" is not UTF-8 text', `${part(named("a"), "\xff")}--b--`],
  ['the part "a" is not UTF-8 text', `${part(named("a"), "\0")}--b--`],
  [
    'the part "a" is not UTF-8 text',
    `${part(`${named("a")}\nContent-Type: text/plain; charset=iso-8859-1`)}--b--`,
  ],
  [
    'the part "a" is not valid JSON: a name in double quotes is expected, but the text ends at line 1, column 2',
    `${part(`${named("a")}\nContent-Type: application/json`, "{")}--b--`,
  ],
  ['the Content-Type of the part "a" can\'t be read', `${part(`${named("a")}\nContent-Type: json`)}--b--`],
  ['the name "a[b][c][d][e][f][g]" has more than 5 brackets', `${part(named("a[b][c][d][e][f][g]"))}--b--`],
  [
    'the file in "a" has a name of more than 255 characters',
    `${part(`${named("a")}; filename="${"x".repeat(256)}"`)}--b--`,
  ],
  ["there are more than 1000 parts", `${part(named("a")).repeat(1001)}--b--`],
];

for (const [problem, text, type] of refused)
  test(`rejects ${JSON.stringify(text.slice(0, 40))}: ${problem}`, () => {
    assert.equal(read(text, type).problem, problem);
  });
