/** Plain JSON data. What the model is made of, and what travels in bodies. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
