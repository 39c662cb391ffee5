/** Name form: short ASCII words that are valid in SQL, routes, files and JSON. */
export const nameForm = /^[A-Za-z_]\w{0,63}$/;
