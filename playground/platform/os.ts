/** `node:os` for browsers. */
export const availableParallelism = (): number => 1;
export const totalmem = (): number => 2 ** 30;
