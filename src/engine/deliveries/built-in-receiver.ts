/**
 * Built-in receiver addresses: `/receiver/SPACE/NAME/SEAL` on the service's operations address. The
 * store's own key makes the seal. So such an address can't be guessed, and no other address of this
 * machine is accepted as one. Webhooks may always be sent there, even if other private addresses
 * are rejected. A document may add segments to the address (`Request`). The engine doesn't handle
 * what the receiver does with them.
 */
import { timingSafeEqual } from "node:crypto";
import { createKeyedHash } from "../../support/hashing/keyed-hash.ts";

export interface BuiltInReceiver {
  /** The address of a receiver with this name; null without an operations address. */
  address(name: string): string | null;
  /** The name in a path, if the path belongs to the built-in receiver. */
  nameAt(path: string): string | undefined;
  /** Whether webhooks may be sent to the URL although it isn't public. */
  isOwn(url: URL): boolean;
}

/** A name is readable in an address: `orders`, `my-shop.2`. */
export const receiverNameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"];

/**
 * @param key the store's key for this purpose
 * @param at returns the origin of the operations address, `http://127.0.0.1:4546`; undefined
 * without one
 */
export function createBuiltInReceiver(
  key: Uint8Array,
  space: string,
  at: () => string | undefined,
): BuiltInReceiver {
  const hash = createKeyedHash(key);
  const pathOf = (name: string) => `/receiver/${space}/${name}/${hash(name).slice(0, 32)}`;
  const nameAt = (path: string): string | undefined => {
    const segments = path.split("/");
    const name = segments[3];
    if (name === undefined || !receiverNameForm.test(name)) return undefined;
    const sealed = segments.slice(0, 5).join("/");
    const [given, right] = [Buffer.from(sealed), Buffer.from(pathOf(name))];
    return given.byteLength === right.byteLength && timingSafeEqual(given, right) ? name : undefined;
  };
  return {
    address(name) {
      const origin = at();
      return origin === undefined ? null : origin + pathOf(name);
    },
    nameAt,
    isOwn(url) {
      const own = URL.parse(at() ?? "");
      return (
        own !== null &&
        url.protocol === own.protocol &&
        url.port === own.port &&
        loopbackHosts.includes(own.hostname) &&
        loopbackHosts.includes(url.hostname) &&
        url.search === "" &&
        nameAt(url.pathname) !== undefined
      );
    },
  };
}
