import nothing from "no-such-package-anywhere";

export const handler = async () => nothing;
