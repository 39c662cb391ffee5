/** Copies a store and is killed on the way: `node test/store/killed-move.ts FROM TO PAGES`. */
import { copyStore } from "../../src/store/index.ts";

const [from, to, pages] = process.argv.slice(2) as [string, string, string];
let seen = 0;
await copyStore(from, to, {
  onRows() {
    seen += 1;
    if (seen === Number(pages)) process.kill(process.pid, "SIGKILL");
  },
});
