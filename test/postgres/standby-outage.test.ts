/**
 * Outage with a standby in place of the primary: handled like other outages, on servers of its own.
 */
import { after, before, test } from "node:test";
import { startOutageService } from "./outage-service.ts";
import { OwnServers } from "./own-servers.ts";
import { PostgresProxy } from "./proxy.ts";

let servers: OwnServers;
before(async () => {
  servers = await OwnServers.start({ isWaitedFor: false });
});
after(() => servers?.end());

test("a standby in place of the server is an outage: requests get 503, and succeed when the server is back", async (t) => {
  const proxy = await PostgresProxy.start(`${servers.url}?schema=standby`);
  t.after(() => proxy.close());
  const service = await startOutageService(t, proxy.url);
  for (const first of ["reads", "writes"] as const) {
    proxy.turnTo(`postgres://postgres@${servers.standbyHost}/postgres`);
    await service.expectAway("a standby", first);
    proxy.turnTo(servers.url);
    await service.expectBack("a standby");
  }
});
