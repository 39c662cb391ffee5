/**
 * Stand-ins for the public images that the deployment files name, for machines without access to an
 * image registry. They are built from Debian packages under the same names. They have what the
 * files rely on: Node, npm and the user `node`; PostgreSQL with the variables of its image; Caddy
 * with its folders. Everything else differs, so a trial with the public images shows more.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addNode, certificates, debianRoot } from "./debian.ts";
import { command, step } from "./steps.ts";

const startPostgres = `#!/bin/sh
# As the public image does: a database of the user's name, with a password for connections from elsewhere.
set -eu
export PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA" && chown postgres "$PGDATA" && chmod 700 "$PGDATA"
  printf %s "$POSTGRES_PASSWORD" >/tmp/password && chown postgres /tmp/password
  setpriv --reuid postgres --regid postgres --clear-groups initdb --encoding=UTF8 --locale=C.UTF-8 --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  setpriv --reuid postgres --regid postgres --clear-groups postgres --single -j postgres <<END >/dev/null
CREATE DATABASE "$POSTGRES_USER";
END
fi
mkdir -p /var/run/postgresql && chown postgres /var/run/postgresql
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -c listen_addresses='*'
`;

/**
 * Builds the images in the engine.
 * @param work the folder of the root folder, which a later trial reuses
 */
export async function buildStandIns(engine: readonly string[], work: string): Promise<void> {
  const root = join(work, "base");
  await step("a Debian root folder", () =>
    debianRoot(root, ["ca-certificates", "libstdc++6", "postgresql-15", "caddy"]),
  );
  await addNode(root);
  mkdirSync(join(root, "usr", "local", "bin"), { recursive: true });
  writeFileSync(join(root, "usr", "local", "bin", "start-postgres"), startPostgres, { mode: 0o755 });
  const archive = join(work, "base.tar");
  await command([
    "tar",
    "-C",
    root,
    "--exclude=./proc/*",
    "--exclude=./sys/*",
    "--exclude=./dev/*",
    "-cf",
    archive,
    ".",
  ]);
  await command([...engine, "import", archive, "localhost/ninefold-trial-base"]);
  const images = {
    "node:24-bookworm-slim": `RUN useradd --uid 1000 --user-group --create-home node
ENV NODE_EXTRA_CA_CERTS=${certificates}
CMD ["node"]`,
    "postgres:17-alpine": `RUN ln -s /usr/lib/postgresql/*/bin/pg_dump /usr/lib/postgresql/*/bin/pg_restore /usr/lib/postgresql/*/bin/pg_isready /usr/local/bin/
ENV PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
CMD ["start-postgres"]`,
    "caddy:2-alpine": `ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
RUN setcap -r /usr/bin/caddy || true
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]`,
  };
  for (const [name, lines] of Object.entries(images))
    await step(`a stand-in for ${name}`, () =>
      command([...engine, "build", "--tag", name, "-"], {
        input: `FROM localhost/ninefold-trial-base\nENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n${lines}\n`,
      }).then(() => undefined),
    );
}
