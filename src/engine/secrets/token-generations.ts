/**
 * Token generations: how often values of an identifying field have passed to other records, by stored
 * changes. A token of an earlier generation would be accepted for the wrong record.
 */
import type { Model } from "../../model/model.ts";
import type { Store } from "../../store/store.ts";
import { tokenSetting } from "../../store/token-setting.ts";

/** The number by the field in a token's claim, `User.id`. Fields without such a change are absent. */
export type TokenGenerations = ReadonlyMap<string, number>;

/** Reads those of the document's schemes. No stored change is applied while the service runs. */
export async function readTokenGenerations(
  { authentication }: Pick<Model, "authentication">,
  store: Pick<Store, "session">,
): Promise<TokenGenerations> {
  const generations = new Map<string, number>();
  for (const { credentials } of authentication.schemes) {
    if (credentials?.fromClaim === undefined) continue;
    const field = `${credentials.resource}.${credentials.by[0]}`;
    const setting = await store.session.system.setting(tokenSetting(field));
    if (setting !== null) generations.set(field, Number(setting));
  }
  return generations;
}
