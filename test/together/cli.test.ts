import { together } from "./together.ts";

together("cli");
