/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"
#include <lauxlib.h>
#include <lualib.h>

int main(int count, char **words) {
    begin(&count, &words);
    lua_State *const state = luaL_newstate();
    luaL_openlibs(state);
    lua_pushinteger(state, rank);
    lua_setglobal(state, "rank");
    const char *const script =
        "local t = {} for i = 1, 10000 do t[#t + 1] = string.format('%d', i * (rank + 1)) end "
        "table.sort(t) local s = 0 for i = 1, 100 do s = s + tonumber(t[i]) end return s";
    check(luaL_dostring(state, script) == LUA_OK, "running");
    printf("%d: %lld\n", rank, lua_tointeger(state, -1));
    lua_close(state);
    MPI_Finalize();
    return 0;
}
