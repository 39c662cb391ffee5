import { together } from "./together.ts";

together("exports");
