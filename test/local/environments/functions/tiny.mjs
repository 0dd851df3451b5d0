export const handler = async (event) => ({ echo: event });
