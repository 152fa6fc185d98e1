#!/bin/sh
# The compiler behind a cache, but not for precompiled headers: GCC tells by their times whether headers are those that it
# precompiled, and a cache brings back times of another day.
case " $* " in
*" c++-header "*) exec "$@" ;;
*) CCACHE_SLOPPINESS=pch_defines,time_macros exec ccache "$@" ;;
esac
