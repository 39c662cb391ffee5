/**
 * The setting that counts how often values of an identifying field have passed to other records, by
 * stored changes. Tokens with such a value contain the count (`engine/secrets/tokens.ts`).
 */

/** @param field `User.id` */
export function tokenSetting(field: string): string {
  return `tokens ${field}`;
}
