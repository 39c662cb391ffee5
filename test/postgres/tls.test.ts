/** TLS to the server: its certificate is verified, and what is wrong with it reported in one line. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TLSSocket } from "node:tls";
import { StoreRefused } from "../../src/store/errors.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { freshSchema, type Schema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);
const folder = join(import.meta.dirname, "../../src/cli/testing/certificates");
/** Self-signed certificates for `localhost` and 127.0.0.1. */
const pem = (name: string) => join(folder, `${name}.pem`);

let schema: Schema;
let speaksTls: Server;
let speaksNone: Server;
before(async () => {
  speaksNone = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.write("N")));
  await once(speaksNone.listen(0, "127.0.0.1"), "listening");
  schema = await freshSchema();
  speaksTls = await serverWithTls(new URL(schema.url));
});
after(async () => {
  speaksTls.close();
  speaksNone.close();
  await schema.drop();
});

/**
 * A TLS proxy in front of the run's server, which may have no TLS itself: accepts the TLS request
 * and forwards all data.
 */
async function serverWithTls(target: URL): Promise<Server> {
  const keys = { cert: readFileSync(pem("first.cert")), key: readFileSync(pem("first.key")) };
  const listener = createServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", () => {
        socket.write("S");
        const inside = new TLSSocket(socket, { isServer: true, ...keys });
        const server = connect(Number(target.port || 5432), target.hostname);
        inside.on("error", () => server.destroy()).on("close", () => server.destroy());
        server.on("error", () => inside.destroy());
        inside.pipe(server).pipe(inside);
      });
  }).listen(0, "0.0.0.0");
  await once(listener, "listening");
  return listener;
}

function at(options: Readonly<Record<string, string>>, host = "localhost", of = speaksTls): string {
  const url = new URL(schema.url);
  const address = of.address();
  url.host = `${host}:${typeof address === "object" && address ? address.port : 0}`;
  for (const [name, value] of Object.entries(options)) url.searchParams.set(name, value);
  return url.href;
}

const trusted = { sslmode: "verify-full", sslrootcert: pem("first.cert") };

for (const host of ["localhost", "127.0.0.1"])
  test(`a server with a valid certificate is reached: ${host}`, async () => {
    const store = await openPostgresStore(notes, meaningOf(notes), { path: at(trusted, host) });
    assert.equal(await store.isEmpty(), true);
    await store.close();
  });

const refused: readonly (readonly [what: string, path: () => string, reported: RegExp, hint: RegExp])[] = [
  ["another CA", () => at({ ...trusted, sslrootcert: pem("second.cert") }), /isn't trusted/, /sslrootcert/],
  ["no CA", () => at({ sslmode: "require" }), /isn't trusted/, /sslrootcert/],
  ["another host", () => at(trusted, "127.0.0.2"), /is for another host: .*127\.0\.0\.2/, /Name the host/],
  ["no file", () => at({ sslrootcert: pem("none") }), /sslrootcert .* can't be read/, /PEM/],
  ["an unknown mode", () => at({ sslmode: "prefer" }), /sslmode=prefer .* is unknown/, /verify-full/],
  ["no TLS", () => at(trusted, "127.0.0.1", speaksNone), /doesn't support TLS/, /sslmode=disable/],
];

for (const [what, path, reported, hint] of refused)
  test(`rejected in one line: ${what}`, async () => {
    await assert.rejects(
      (async () => openPostgresStore(notes, meaningOf(notes), { path: path() }))(),
      (error) => {
        assert.ok(error instanceof StoreRefused, String(error));
        assert.match(error.message, reported);
        assert.match(error.hint, hint);
        assert.ok(!error.message.includes("\n"), error.message);
        return true;
      },
    );
  });
