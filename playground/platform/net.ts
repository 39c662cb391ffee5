/**
 * `node:net` for browsers: the forms of addresses. A browser can reach no address, so each is on
 * every block list.
 */
const v4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

export const isIPv4 = (text: string): boolean => v4.test(text);

export function isIPv6(text: string): boolean {
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(text)) return false;
  try {
    return new URL(`http://[${text}]`).hostname !== "";
  } catch {
    return false;
  }
}

export const isIP = (text: string): 0 | 4 | 6 => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);

export class BlockList {
  addSubnet(): void {}

  addAddress(): void {}

  check(): boolean {
    return true;
  }
}

export function connect(): never {
  throw new Error("The playground has no network.");
}
