/** Names stand in SQL, routes, files and JSON: short, ASCII, and a word of every language that they may come to. */
export const nameForm = /^[A-Za-z_]\w{0,63}$/;
