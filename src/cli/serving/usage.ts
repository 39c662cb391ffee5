/**
 * The help of `ninefold serve`: `-h` prints the common options, `--help` all options by subject.
 */
import { databaseForm } from "../../store/index.ts";

const usageLine = "Usage: ninefold serve FILE [options]";

const commonOptions = `Common:
  -p, --port N   the port; 0 for any free one (default: 4545)
  --store PATH   the store's file, created if it doesn't exist; :memory: stores nothing on disk;
                 ${databaseForm} is a database that several
                 instances may share (default: a file in the document's folder, with its name)
  --seed FILE    a Markdown file whose \`- Given:\` items are created once, in an empty store
  -w, --watch    restarts when the document changes, and applies its stored changes. If the new
                 document can't be served, or would lose data, it reports that and keeps serving
                 the previous one. A store in memory is carried over; if its records no longer fit,
                 the reason is printed, and an empty store is opened and seeded
  --open         opens the console in the browser
  --sandbox      for tests: in memory, with a movable clock, snapshots and data spaces
  --explain      responses name the line of the document that decided them (Ninefold-Because)
  --gaps-as N    the status of a response where the document doesn't show something (default: 501).
                 Many clients repeat a request that gets 5xx; with 422 they stop at once
  --quiet        only errors: no greeting, no warnings, no line for each request
`;

/** The common options. */
export const serveShortUsage = `${usageLine}

Runs the document as a service.

${commonOptions}
All options: ninefold serve --help

Example: ninefold serve examples/parcel-desk.md --store :memory:
`;

export const serveUsage = `${usageLine}

Runs the document as a service.

${commonOptions}
Network:
  --host HOST    the address to listen at (default: 127.0.0.1)
  --url URL      the public address, if it isn't http://HOST:PORT and no trusted proxy sends it
  --trust-proxy N|ADDRESSES
                 how many proxies are in front of it, or their addresses: loopback,10.0.0.0/8.
                 Limits by address, request.ip and the log then use the client address that the
                 proxies forward; links use the forwarded host, unless --url is given
  --forwarded-header NAME
                 the headers that the proxies set: x-forwarded (X-Forwarded-For, -Proto and
                 -Host; the default) or forwarded (Forwarded)
  --tls-cert FILE, --tls-key FILE
                 serves HTTPS only: the certificate with its chain, and its key, both as PEM.
                 Both are reloaded when the files change
  --drain TIME   how long requests may take to finish when it is stopped (default: 25s)
  --drain-delay TIME
                 how long before that it still accepts requests, while /readyz answers 503 and each
                 response closes its connection, so that a load balancer notices (default: 0s)
  --allow-private-addresses
                 calls loopback and private addresses too, where the document
                 names one (keys of token schemes)
  --allow-private-webhooks
                 sends webhooks to loopback and private addresses too, and to these
                 over http:
  --smtp URL     the mail server for notifications: smtp://user:password@host:587, or
                 smtps://…; also read from NINEFOLD_SMTP, so that it doesn't appear in \`ps\`
  --mail-from ADDRESS   the sender: "Parcel Desk <desk@example.com>"; also NINEFOLD_MAIL_FROM

Store:
  --cache SIZE   how much of the store's file is mapped into memory; 0B for none (default: half
                 of the machine's memory, up to 2 GiB)
  --accept-data-loss
                 if the store has data that the document no longer describes: copies the store
                 into the same folder, reports what is deleted, and starts. Without it nothing is
                 changed, and what would be lost is reported. With --watch it applies to every
                 change
  --accept-missing-log
                 opens a store that was in use when it was copied, although the log with its
                 last changes (-wal) is missing

Operations:
  --operations N
                 the port of the operations address: the console, documentation, OpenAPI,
                 AsyncAPI and JSON Schemas of the document, health, metrics, and the
                 operations API (default: the one after --port, or a free one if that
                 is in use)
  --operations-host HOST
                 the address that it listens at (default: loopback). For another
                 one, NINEFOLD_OPERATIONS_TOKEN holds the token that opens it
  --no-operations   no such address; a service for other machines (--host) has none unless
                 --operations or --operations-host is set
  --log FORM     pretty: a short line for each request; json: one for programs; none: none
                 (default: pretty on a terminal, json elsewhere)
  --log-level LEVEL   the lowest level that is logged: info (also each request), warn or error
                 (default: info)
  --env-file FILE
                 variables, a line each (NAME=value), where the environment has none of the
                 name: of the document's secrets, and of options
  --routes       prints each endpoint, what it does, who may call it and its line, and exits
  --print-config   prints each setting and where it comes from, and exits
  --check-config   checks the document, its module, secrets and seed, and exits
  --ready-json   for programs: instead of the greeting one line, when requests are answered:
                 {"url": "http://127.0.0.1:4545", "operations": "http://127.0.0.1:4546", "pid": 1}

Sandbox:
  --sandbox      for tests: kept in memory unless --store is given, with a clock that
                 can be moved, snapshots, and a data space for each test: named by a header,
                 by the path (/~NAME/...) or by the host (NAME.localhost);
                 all through an operations API on loopback (see \`ninefold sandbox\`)
  --space-header NAME   the header that names the data space (default: Ninefold-Space)
  --spaces-max N        the maximum number of open data spaces (default: 100)
  --sign-in-sandbox-time  webhooks are signed for the time of the data space's clock,
                 which receivers reject once it was moved; else for real time
  --allow-origin ORIGIN  pages of this origin may call it, as *Try it* of a documentation site
                 does; several are separated by commas
  --seed-scenario NAME  each data space starts with the \`Given\` items of this scenario

Recording:
  --proxy URL    passes requests on to this service instead of serving the document
  --record FILE  writes them with their responses into this new file (HAR), without their secrets, for
                 \`ninefold learn\`

SIGHUP reloads the certificate, and the document as --watch does; on a terminal it stops the service.

If LISTEN_FDS and LISTEN_PID hand over a listening socket, as systemd's socket units do, it replaces
--port.

Most options are variables of the environment too: NINEFOLD_PORT, NINEFOLD_TRUST_PROXY; of --operations it
is NINEFOLD_OPERATIONS_PORT, of --seed NINEFOLD_SEED_FILE. Those without a value are 1 or 0. The
commands that work on a store take NINEFOLD_STORE too; --sandbox doesn't.

Exit codes: 0 stopped · 1 the document has mistakes, or an exception was uncaught · 2 wrong usage · 3 the port, the file or the store can't be used

Example: ninefold serve examples/parcel-desk.md --store :memory:
`;
