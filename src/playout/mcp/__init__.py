"""The MCP server: searches as tools for agents (Model Context Protocol). docs/mcp.md has the tools."""
